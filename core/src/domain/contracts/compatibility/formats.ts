import { type FormatName, formats } from "#domain/contracts/schema/structure";

export const formatNames = Object.keys(formats) as FormatName[];

export function isFormat(name: FormatName, text: string): boolean {
  return formats[name].test(text);
}
