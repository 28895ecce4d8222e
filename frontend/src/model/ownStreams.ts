/** What is chosen for the inputs of a template: a stream for each, and its field for each field of the template. */

import type { ChosenStream, TemplateInput, TemplateStream } from "./api";

export type OwnChoice = Readonly<Record<string, ChosenStream>>;

/** The streams that fit an input. */
export function fitting({ streams }: TemplateInput): readonly TemplateStream[] {
  return streams.filter(({ missing }) => missing.length === 0);
}

/** The stream, with the fields that are guessed. */
export function guessed({ id, fields }: TemplateStream): ChosenStream {
  return { stream: id, fields: Object.fromEntries(fields.map(({ field, proposed }) => [field, proposed])) };
}

/** The choice to begin with; an input for which none is proposed has the first that fits, or none. */
export function proposedChoice(inputs: readonly TemplateInput[]): OwnChoice {
  const chosen = inputs.flatMap((input) => {
    const streams = fitting(input);
    const stream = streams.find(({ id }) => id === input.proposed) ?? streams[0];
    return stream === undefined ? [] : [[input.input, guessed(stream)] as const];
  });
  return Object.fromEntries(chosen);
}

/** Why nothing can be made of a choice yet; null if it is whole. */
export function unfinished(inputs: readonly TemplateInput[], choice: OwnChoice): string | null {
  const without = inputs.filter(({ input }) => choice[input] === undefined).map(({ input }) => input);
  if (without.length > 0) return `No stream of yours fits ${without.join(" and ")}.`;
  const names = Object.values(choice).map(({ stream }) => stream);
  return new Set(names).size < names.length ? "Choose another stream for each input." : null;
}
