import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { Link, useSearchParams } from "react-router";
import { ErrorNote, Notice, Waiting } from "../../../components/notices/Notices";
import { currentStep } from "../../../lib/account/authentication";
import { providerSentence, withNext } from "../../../model/account/signIn";
import { Narrow } from "./Narrow";
import { useNext, useOnward } from "./onward";

/** The page to which providers redirect; it continues to the next step or shows the error. */
export function ProviderReturnPage() {
  const [search] = useSearchParams();
  const next = useNext();
  const onward = useOnward();
  const error = search.get("error");
  const step = useQuery({ queryKey: ["sign-in", "return"], queryFn: currentStep, gcTime: 0, enabled: error === null });
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new step leads on
  useEffect(() => {
    if (step.data !== undefined) void onward(step.data);
  }, [step.data]);
  if (error === null) {
    return (
      <Narrow title="Signing in">
        <Waiting>Checking your session…</Waiting>
        <ErrorNote error={step.error} onRetry={() => void step.refetch()} />
      </Narrow>
    );
  }
  return (
    <Narrow title="Sign-in failed">
      <Notice tone="bad">
        <p>{providerSentence(error)}</p>
      </Notice>
      <p className="row">
        <Link className="button" data-kind="primary" to={withNext("/sign-in", next)}>
          Back to the sign-in page
        </Link>
      </p>
    </Narrow>
  );
}
