import { serveCapability } from "@stoa/sdk";

const shelf = new Map([
  ["stoicism", { title: "Meditations", author: "Marcus Aurelius", year: 175 }],
  ["mathematics", { title: "Elements", author: "Euclid", year: -300 }],
  ["seafaring", { title: "Sailing Alone Around the World", author: "Joshua Slocum", year: 1900 }],
]);

await serveCapability({
  tools: {
    recommend: ({ subject }) => {
      const book = shelf.get(String(subject));
      if (book === undefined) throw new Error(`the shelf has nothing about ${String(subject)}`);
      return book;
    },
  },
});
