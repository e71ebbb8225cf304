import { expect, test } from "vitest";
import { stripApprovalText } from "./approval-text.ts";

test("takes the text for the approver off the top level, and only there", () => {
  const args = { a: 1, _approval_message: "please", nested: { _approval_message: "data" } };
  expect(stripApprovalText(args)).toEqual({
    args: { a: 1, nested: { _approval_message: "data" } },
    approvalText: "please",
  });
  expect(args).toHaveProperty("_approval_message");
});

test.each([[null], ["x"], [[1]], [{ a: 1 }]])("leaves %j as it is", (args) => {
  expect(stripApprovalText(args)).toEqual({ args, approvalText: undefined });
});

test("a text that is no text is taken off too", () => {
  expect(stripApprovalText({ _approval_message: 1 })).toEqual({ args: {}, approvalText: undefined });
});
