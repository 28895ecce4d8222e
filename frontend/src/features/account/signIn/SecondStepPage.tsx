import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, Navigate } from "react-router";
import { ActionButton } from "../../../components/actions/ActionButton";
import { ErrorNote, Waiting } from "../../../components/notices/Notices";
import { answerCode, currentStep } from "../../../lib/account/authentication";
import { answerByPasskey, passkeysWork } from "../../../lib/account/passkeys";
import { type FactorKind, pageOf } from "../../../model/account/signIn";
import { CodeEntry } from "../CodeEntry";
import { Narrow } from "./Narrow";
import { useNext, useOnward } from "./onward";

function Codes({ types }: { types: readonly FactorKind[] }) {
  const onward = useOnward();
  const both = types.includes("totp") && types.includes("recovery_codes");
  const [recovery, setRecovery] = useState(!types.includes("totp"));
  return (
    <>
      <CodeEntry
        key={String(recovery)}
        recovery={recovery}
        send={answerCode}
        onSent={onward}
        words={["Continue", "Checking…"]}
      />
      {both ? (
        <p className="small">
          <button type="button" className="link" onClick={() => setRecovery(!recovery)}>
            {recovery ? "Use the code of your authenticator app" : "Use a recovery code instead"}
          </button>
        </p>
      ) : null}
    </>
  );
}

function Factors({ types }: { types: readonly FactorKind[] }) {
  const onward = useOnward();
  const codes = types.includes("totp") || types.includes("recovery_codes");
  const passkeys = types.includes("webauthn") && passkeysWork();
  return (
    <>
      {codes ? <Codes types={types} /> : null}
      {passkeys ? (
        <div className="other-ways">
          {codes ? <p className="or">or</p> : null}
          <ActionButton
            words={["Use a passkey", "Waiting for your passkey…"]}
            act={answerByPasskey}
            onDone={onward}
            {...(codes ? {} : { kind: "primary" as const })}
          />
        </div>
      ) : null}
      {codes || passkeys ? null : (
        <p>This browser can't use your passkey. Sign in from the device or browser that stores it.</p>
      )}
    </>
  );
}

/** The second factor, asked after the password. */
export function SecondStepPage() {
  const next = useNext();
  const step = useQuery({ queryKey: ["sign-in", "step"], queryFn: currentStep, staleTime: 0, gcTime: 0 });
  if (step.data !== undefined && step.data.kind !== "second_factor") {
    return <Navigate to={pageOf(step.data, next)} replace />;
  }
  return (
    <Narrow title="Second factor" under={<Link to="/sign-in">Sign in as another person</Link>}>
      {step.isPending ? <Waiting>Loading your sign-in options…</Waiting> : null}
      <ErrorNote error={step.error} onRetry={() => void step.refetch()} />
      {step.data === undefined ? null : <Factors types={step.data.types} />}
    </Narrow>
  );
}
