// @vitest-environment happy-dom
import { afterEach, expect, test, vi } from "vitest";
import { downloadFile } from "./download";

afterEach(() => vi.unstubAllGlobals());

const HEADERS = {
  "Punctual-Bytes": "6",
  "Punctual-Rows": "2",
  "Content-Disposition": 'attachment; filename="results-1-out.csv"',
};

function pieces(...texts: (string | Error)[]): ReadableStream {
  return new ReadableStream({
    start(controller) {
      for (const text of texts) {
        if (text instanceof Error) controller.error(text);
        else controller.enqueue(new TextEncoder().encode(text));
      }
      if (!texts.some((text) => text instanceof Error)) controller.close();
    },
  });
}

function answering(response: () => Response | Promise<Response>) {
  vi.stubGlobal("fetch", async () => response());
}

function download(progress: unknown[] = []) {
  return downloadFile("/file", new AbortController().signal, (each) => progress.push(each));
}

test("a whole file comes with its name, its rows and its progress", async () => {
  answering(() => new Response(pieces("n\n1", "\n2\n"), { headers: HEADERS }));
  const progress: unknown[] = [];
  const { name, rows, content } = await download(progress);
  expect([name, rows, await content.text()]).toEqual(["results-1-out.csv", 2, "n\n1\n2\n"]);
  expect(progress).toEqual([0, 3, 6].map((received) => ({ received, total: 6 })));
});

test("a transfer that ends early is no file", async () => {
  answering(() => new Response(pieces("n\n1"), { headers: HEADERS }));
  await expect(download()).rejects.toThrow("The transfer ended early, after 3 B. Nothing was saved.");
  answering(() => new Response(pieces(new Error("reset")), { headers: HEADERS }));
  await expect(download()).rejects.toThrow("The transfer ended early");
});

test("an error of the server keeps its words", async () => {
  const body = JSON.stringify({ code: "export_failed", message: "A file is damaged.", faults: [] });
  answering(() => new Response(body, { status: 409 }));
  await expect(download()).rejects.toMatchObject({ status: 409, message: "A file is damaged." });
  answering(() => Promise.reject(new TypeError("Failed to fetch")));
  await expect(download()).rejects.toThrow("The server can't be reached.");
});
