export { graphToDot } from "./dot.ts";
export { type FleetEdge, type FleetGraph, type FleetNode, fleetGraph } from "./graph.ts";
export { graphToSvg } from "./svg.ts";
export { graphToText } from "./text.ts";
