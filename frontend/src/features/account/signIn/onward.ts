import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearchParams } from "react-router";
import { ME } from "../../../lib/account/session";
import { pageOf, type Step, safeNext } from "../../../model/account/signIn";

/** Return the page that the person wanted before signing in. */
export function useNext(): string {
  const [search] = useSearchParams();
  return safeNext(search.get("next"));
}

/** Go to the page of a step. Throws for an unknown step. */
export function useOnward(): (step: Step) => Promise<void> {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const next = useNext();
  return async (step) => {
    if (step.kind === "unknown" || step.kind === "confirm") {
      throw new Error("Sign-in requires a step that this page doesn't support. Contact your administrator.");
    }
    if (step.kind === "signed_in") await queries.fetchQuery({ queryKey: ME, staleTime: 0 }).catch(() => null);
    await navigate(pageOf(step, next), { replace: true });
  };
}
