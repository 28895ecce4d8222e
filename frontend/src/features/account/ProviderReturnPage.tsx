import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { Link, useSearchParams } from "react-router";
import { ErrorNote, Notice, Waiting } from "../../components/Notices";
import { currentStep } from "../../lib/authentication";
import { providerSentence, withNext } from "../../model/signIn";
import { Narrow } from "./Narrow";
import { useNext, useOnward } from "./onward";

/** Where a provider sends people back to; it goes on to the next step, or says why there is none. */
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
        <Waiting>Looking who you are…</Waiting>
        <ErrorNote error={step.error} onRetry={() => void step.refetch()} />
      </Narrow>
    );
  }
  return (
    <Narrow title="Signing in did not succeed">
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
