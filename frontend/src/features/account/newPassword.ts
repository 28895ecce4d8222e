/** Props of a field for a new password. */
export const NEW_PASSWORD = {
  type: "password",
  autoComplete: "new-password",
  help: "At least 12 characters. An unusual combination of a few words works well.",
} as const;
