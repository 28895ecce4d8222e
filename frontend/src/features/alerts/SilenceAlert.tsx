import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { ModalDialog } from "../../components/actions/ModalDialog";
import { ReasonedButton } from "../../components/actions/Reasoned";
import { SelectField, TextField } from "../../components/forms/Field";
import { FaultyForm } from "../../components/forms/FieldFaults";
import { FormButtons } from "../../components/forms/FormEnd";
import { useReason } from "../../lib/account/session";
import type { AlertResponse } from "../../model/api";
import { formatInstant, ticksOf } from "../../model/time/ticks";
import { useAlertChanges, useRefreshAlerts } from "./requests";

const LENGTHS = [
  ["1", "1 hour"],
  ["8", "8 hours"],
  ["24", "1 day"],
  ["168", "7 days"],
] as const;
const HOUR_MS = 3_600_000;

function SilenceForm({ alert, onDone }: { alert: AlertResponse; onDone: () => void }) {
  const [hours, setHours] = useState<(typeof LENGTHS)[number][0]>("1");
  const [reason, setReason] = useState("");
  const { silence } = useAlertChanges();
  const refresh = useRefreshAlerts();
  const silencing = useMutation({
    mutationFn: () =>
      silence({
        rule: alert.rule,
        binding: alert.binding?.id ?? null,
        ends_at: formatInstant(ticksOf(new Date(Date.now() + Number(hours) * HOUR_MS))).replace(" ", "T"),
        reason: reason.trim(),
      }),
    onSuccess: async () => {
      onDone();
      await refresh();
    },
  });
  const submit = () => {
    if (!silencing.isPending) silencing.mutate();
  };
  return (
    <FaultyForm error={silencing.error} paths={["ends_at", "reason"]} onSubmit={submit}>
      <SelectField label="For" path="ends_at" value={hours} options={LENGTHS} onChange={setHours} />
      <TextField label="Reason" path="reason" value={reason} onChange={setReason} required />
      <FormButtons words={["Silence", "Silencing…"]} isPending={silencing.isPending} onCancel={onDone} />
    </FaultyForm>
  );
}

/** A button that silences the notifications about an alert for some time, with a reason. */
export function SilenceAlert({ alert }: { alert: AlertResponse }) {
  const [open, setOpen] = useState(false);
  const refused = useReason("operate");
  const close = () => setOpen(false);
  const of = alert.binding === null ? "" : ` of ${alert.binding.name}`;
  return (
    <>
      <ReasonedButton reason={refused} aria-label={`Silence ${alert.title}${of}`} onClick={() => setOpen(true)}>
        Silence…
      </ReasonedButton>
      <ModalDialog title={`Silence “${alert.title}”${of}`} open={open} onClose={close}>
        <p>The alert stays in this list. Channels are notified again when the silence ends, if it still fires.</p>
        <SilenceForm alert={alert} onDone={close} />
      </ModalDialog>
    </>
  );
}
