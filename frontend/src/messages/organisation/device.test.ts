import { expect, test } from "vitest";
import { deviceWords } from "./device";

test.each([
  ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"],
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0",
    "Edge on Windows",
  ],
  ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1 Version/18.4 Safari/605.1", "Safari on a Mac"],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_4 like Mac OS X) AppleWebKit CriOS/140.0 Safari/604.1",
    "Chrome on an iPhone",
  ],
  [
    "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36",
    "Chrome on Android",
  ],
  ["python-httpx/0.28", "A program"],
  ["", "Unknown browser"],
])("%s is %s", (userAgent, words) => {
  expect(deviceWords(userAgent)).toBe(words);
});
