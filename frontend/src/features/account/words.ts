/** A field for a password that does not exist yet. */
export const NEW_PASSWORD = {
  type: "password",
  autoComplete: "new-password",
  help: "At least 12 characters. A few words that only you would put together are good.",
} as const;
