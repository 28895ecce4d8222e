import { faultsOf, messageOf } from "./api";

/** A refusal of a form: a sentence for the whole of it, and sentences for its fields. */
export class FieldFailure extends Error {
  readonly status: number;
  readonly fields: Readonly<Record<string, string>>;

  constructor(status: number, message: string, fields: Readonly<Record<string, string>>) {
    super(message);
    this.name = "FieldFailure";
    this.status = status;
    this.fields = fields;
  }
}

/** The sentences of an error by field; nothing for an error that knows no fields. */
export function fieldsOf(error: unknown): Readonly<Record<string, string>> {
  return error instanceof FieldFailure ? error.fields : {};
}

/** What `asking` gives; a refusal whose faults name fields comes as one that a form tells at them. */
export async function withFields<T>(asking: Promise<T>): Promise<T> {
  try {
    return await asking;
  } catch (error) {
    const faults = faultsOf(error);
    if (faults.length === 0) throw error;
    const fields = faults.map((fault) => [fault.field ?? "", `${fault.message} ${fault.remedy}`]);
    throw new FieldFailure(422, messageOf(error), Object.fromEntries(fields));
  }
}
