import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { guide } from "./guide";

const API = "http://127.0.0.1:8000";

export default defineConfig({
  plugins: [react(), guide()],
  build: { target: "es2023", assetsInlineLimit: 0, modulePreload: { polyfill: false }, chunkSizeWarningLimit: 1_800 },
  server: { host: "127.0.0.1", proxy: { "/api": API, "/_allauth": API }, fs: { allow: [".."] } },
  test: {
    environment: "node",
    include: ["src/**/*.test.{ts,tsx}"],
    restoreMocks: true,
    maxWorkers: 2,
    testTimeout: 30_000, // five times what a loaded machine needs; a test that hangs still ends
  },
});
