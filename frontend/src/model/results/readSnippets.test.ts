import { expect, test } from "vitest";
import { curlSnippet, outputAddress, pythonSnippet } from "./readSnippets";

const address = outputAddress("https://p.example", "acme", "b1", "out");

test("the commands name the addresses of the output", () => {
  expect(address).toBe("https://p.example/api/t/acme/bindings/b1/outputs/out");
  expect(curlSnippet(address)).toContain(
    "curl -H 'Authorization: Bearer YOUR_TOKEN' 'https://p.example/api/t/acme/bindings/b1/outputs/out/current/'",
  );
  expect(curlSnippet(address)).toContain("'https://p.example/api/t/acme/bindings/b1/outputs/out/stream/'");
});

test("the program requests the stream after the last event", () => {
  expect(pythonSnippet(address)).toContain('Request("https://p.example/api/t/acme/bindings/b1/outputs/out/stream/"');
  expect(pythonSnippet(address)).toContain('headers["Last-Event-ID"] = last');
});
