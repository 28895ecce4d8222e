import { faultsOf, messageOf } from "./client";

/** A form's error: a message for the whole form, and messages for its fields. */
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

/** Return the messages of an error by field; empty for other errors. */
export function fieldsOf(error: unknown): Readonly<Record<string, string>> {
  return error instanceof FieldFailure ? error.fields : {};
}

/** Await `asking`; an error that names fields is thrown as a `FieldFailure`, so that the form shows it at them. */
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
