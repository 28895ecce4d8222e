export { ConfirmationPage } from "./ConfirmationPage";
export { ConfirmationsPage } from "./ConfirmationsPage";
