/** The choices for a template's inputs: a stream for each, and a field of it for each field of the template. */

import type { ChosenStream, TemplateInput, TemplateStream } from "../api";

export type OwnChoice = Readonly<Record<string, ChosenStream>>;

/** Return the streams that match an input. */
export function fitting({ streams }: TemplateInput): readonly TemplateStream[] {
  return streams.filter(({ missing }) => missing.length === 0);
}

/** Return the stream with the guessed fields. */
export function guessed({ id, fields }: TemplateStream): ChosenStream {
  return { stream: id, fields: Object.fromEntries(fields.map(({ field, proposed }) => [field, proposed])) };
}

/** Return the initial choice; an input without a proposal gets the first matching stream, if any. */
export function proposedChoice(inputs: readonly TemplateInput[]): OwnChoice {
  const chosen = inputs.flatMap((input) => {
    const streams = fitting(input);
    const stream = streams.find(({ id }) => id === input.proposed) ?? streams[0];
    return stream === undefined ? [] : [[input.input, guessed(stream)] as const];
  });
  return Object.fromEntries(chosen);
}

/** Return why a choice is incomplete; null if it is complete. */
export function unfinished(inputs: readonly TemplateInput[], choice: OwnChoice): string | null {
  const without = inputs.filter(({ input }) => choice[input] === undefined).map(({ input }) => input);
  if (without.length > 0) return `None of your streams matches ${without.join(" and ")}.`;
  const names = Object.values(choice).map(({ stream }) => stream);
  return new Set(names).size < names.length ? "Choose another stream for each input." : null;
}
