import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearchParams } from "react-router";
import { ME } from "../../lib/session";
import { pageOf, type Step, safeNext } from "../../model/signIn";

/** Where the person wanted to go when they were asked to sign in. */
export function useNext(): string {
  const [search] = useSearchParams();
  return safeNext(search.get("next"));
}

/** Goes to the page of a step. Throws for a step that these pages do not know. */
export function useOnward(): (step: Step) => Promise<void> {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const next = useNext();
  return async (step) => {
    if (step.kind === "unknown" || step.kind === "confirm") {
      throw new Error("Signing in needs a step that these pages do not offer. Ask whoever runs this installation.");
    }
    if (step.kind === "signed_in") await queries.fetchQuery({ queryKey: ME, staleTime: 0 }).catch(() => null);
    await navigate(pageOf(step, next), { replace: true });
  };
}
