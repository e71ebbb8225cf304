/** For a command that has printed all there is to say and did not succeed. */
export class ExitWith extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`exit ${exitCode}`);
    this.name = "ExitWith";
    this.exitCode = exitCode;
  }
}
