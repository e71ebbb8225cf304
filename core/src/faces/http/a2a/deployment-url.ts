import { StoaError } from "#platform/errors";

/** The published default where a deployment url names no port. */
const defaultPort = 3773;

/** The port that an agent is to be served on. Throws where the address could not be the agent's. */
export function deploymentPort(deploymentUrl: string): number {
  const url = URL.parse(deploymentUrl);
  if (url === null) throw refused(deploymentUrl, "is not an address");
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") {
    throw refused(deploymentUrl, "has a path, and an agent is served at the root of its port");
  }
  // The scheme's own port disappears from a URL; under another scheme it is still there.
  const named = url.port || URL.parse(deploymentUrl.trim().replace(/^https?:/i, "ftp:"))?.port;
  if (!named) return defaultPort;
  if (Number(named) === 0) throw refused(deploymentUrl, "names port 0, where no client could reach it");
  return Number(named);
}

function refused(deploymentUrl: string, problem: string): StoaError {
  return new StoaError(
    "INVALID_ARGUMENT",
    `deployment.url ${JSON.stringify(deploymentUrl)} ${problem}. Give scheme, host and port, such as http://localhost:${defaultPort}.`,
  );
}
