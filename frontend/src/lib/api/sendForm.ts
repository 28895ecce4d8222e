import { csrfToken } from "./client";

/** Leave this page by submitting a form, for addresses that respond with a page and not with data. */
export function sendForm(action: string, values: Readonly<Record<string, string>>): void {
  const form = document.createElement("form");
  form.method = "POST";
  form.action = action;
  for (const [name, value] of Object.entries({ ...values, csrfmiddlewaretoken: csrfToken() })) {
    const input = document.createElement("input");
    input.type = "hidden";
    input.name = name;
    input.value = value;
    form.append(input);
  }
  document.body.append(form);
  form.submit();
}
