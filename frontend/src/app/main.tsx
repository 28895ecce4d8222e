import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { RouterProvider } from "react-router";
import { ApiFailure } from "../lib/api";
import { ConfirmationNeeded } from "../lib/authentication";
import { FieldFailure } from "../lib/fieldFailure";
import { ME } from "../lib/session";
import "../styles/index.css";
import { router } from "./routes";

/** A refusal stays a refusal; only a server that cannot be reached, or that broke, is asked again. */
function mayHelpToRetry(failures: number, error: Error): boolean {
  const refused = error instanceof ApiFailure || error instanceof FieldFailure || error instanceof ConfirmationNeeded;
  if (refused && !("status" in error && (error.status === 0 || error.status >= 500))) return false;
  return failures < 2;
}

/** The session ended meanwhile: the frame of the page then leads to the sign-in page. */
function noticeSignedOut(error: Error): void {
  const refused = error instanceof ApiFailure || error instanceof FieldFailure;
  if (refused && error.status === 401) queries.setQueryData(ME, null);
}

const queries = new QueryClient({
  queryCache: new QueryCache({ onError: noticeSignedOut }),
  mutationCache: new MutationCache({ onError: noticeSignedOut }),
  defaultOptions: { queries: { retry: mayHelpToRetry, staleTime: 5_000 }, mutations: { retry: false } },
});

const root = document.getElementById("root");
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
}
