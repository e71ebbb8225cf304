/** Words that carry no meaning of their own, so that they never decide which tool is meant. */
const filler = new Set(
  "a an and are as at be by can could do does for from give has have how i in is it its me my of on or our please so tell that the their them then there these they this to us was we what when where which who will with would you your".split(
    " ",
  ),
);

/** The meaningful words of a text, lower-cased and with common endings removed. */
export function meaningfulWords(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !filler.has(word)).map(stem);
}

/** A rough stem is enough to let "counting" meet "count" and "words" meet "word". */
function stem(word: string): string {
  for (const ending of ["ings", "ing", "ies", "es", "ed", "s"]) {
    if (word.length - ending.length >= 3 && word.endsWith(ending)) return word.slice(0, -ending.length);
  }
  return word;
}

/** A stand-in for a tokenizer: words and punctuation marks. Good enough for a usage figure that is free. */
export function roughTokens(text: string): number {
  // Counted one by one: a list of every word of a long conversation would be many times its size.
  const token = /[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu;
  let count = 0;
  while (token.test(text)) count++;
  return count;
}
