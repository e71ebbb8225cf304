/** Tells the bench the port, and how much processor time was spent when it asks; ends with the bench. */
export function serveUntilTold(port: number): void {
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpuMicroseconds: user + system });
  });
  process.on("disconnect", () => process.exit());
  process.send?.({ port });
}
