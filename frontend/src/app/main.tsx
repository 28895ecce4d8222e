import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { RouterProvider } from "react-router";
import { ConfirmationNeeded } from "../lib/account/authentication";
import { ME } from "../lib/account/session";
import { ApiFailure } from "../lib/api/client";
import { FieldFailure } from "../lib/api/fieldFailure";
import "../styles/index.css";
import { router } from "./routes";

/** Retry only when the server can't be reached or failed; a refusal is final. */
function mayHelpToRetry(failures: number, error: Error): boolean {
  const refused = error instanceof ApiFailure || error instanceof FieldFailure || error instanceof ConfirmationNeeded;
  if (refused && !("status" in error && (error.status === 0 || error.status >= 500))) return false;
  return failures < 2;
}

/** Handle an ended session: the page frame then leads to sign-in. */
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
