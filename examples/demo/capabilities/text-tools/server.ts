import { serveCapability } from "@stoa/sdk";

await serveCapability({
  tools: {
    count_words: ({ text }) => {
      const words = String(text).match(/\S+/gu) ?? [];
      return {
        words: words.length,
        characters: [...String(text)].length,
        lines: String(text).split("\n").length,
      };
    },
    shout: ({ text }) => ({ text: String(text).toUpperCase() }),
  },
});
