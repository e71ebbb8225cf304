export type {
  Bus,
  BusMessage,
  Handler,
  Headers,
  PublishOptions,
  RequestOptions,
  SubscribeOptions,
  Subscription,
} from "./bus.ts";
export { type BusAddress, type OpenBusOptions, openBus } from "./open-bus.ts";
export { covers } from "./subjects.ts";
