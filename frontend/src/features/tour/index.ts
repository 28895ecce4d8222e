export { Tour } from "./Tour";
