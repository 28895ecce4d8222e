/** The words of the API under the names that the pages use; all of them are generated from OpenAPI. */

import type { components } from "../generated/api";

type Schemas = components["schemas"];

export type MyOrganisation = Schemas["MyOrganisation"];
export type Me = Schemas["Me"];
export type InvitationSeen = Schemas["InvitationSeen"];
export type Permission = Schemas["MyOrganisation"]["permissions"][number];
export type Role = Schemas["Role"];
export type PermissionMatrix = Schemas["PermissionMatrix"];
export type MemberShown = Schemas["MemberShown"];
export type InvitationShown = Schemas["InvitationShown"];
export type ServiceAccountShown = Schemas["ServiceAccountShown"];
export type ServiceAccountBody = Schemas["ServiceAccountBody"];
export type UsageShown = Schemas["UsageShown"];
export type KeptShown = Schemas["KeptShown"];
export type OrganisationShown = Schemas["OrganisationShown"];
export type ExportShown = Schemas["ExportShown"];
export type AuditEventShown = Schemas["AuditEventShown"];
export type ErrorEnvelope = Schemas["ErrorEnvelope"];
export type Fault = Schemas["Fault"];
export type FaultCode = Schemas["FaultCode"];
export type StreamShown = Schemas["StreamShown"];
export type StreamBody = Schemas["StreamBody"];
export type StreamDefinition = Schemas["StreamDefinition"];
export type AdvanceTimeSettings = Schemas["AdvanceTimeSettings"];
export type AdapterKind = Schemas["AdapterKind"];
export type Sample = Schemas["Sample"];
export type SampleRow = Sample["rows"][number];
export type QueryGraph = Schemas["QueryGraph"];
export type GraphNode = QueryGraph["nodes"][number];
export type QueryShown = Schemas["QueryShown"];
export type VersionShown = Schemas["VersionShown"];
export type Validation = Schemas["Validation"];
export type Completions = Schemas["CompletionList"];
export type Explained = Schemas["Explained"];
export type TokenBody = Schemas["TokenBody"];
export type TokenShown = Schemas["TokenShown"];
export type BindingShown = Schemas["BindingShown"];
export type RunShown = Schemas["RunShown"];
export type RunState = Schemas["RunState"];
export type Observed = Schemas["Observed"];
export type ProgressReport = Schemas["ProgressReport"];
export type InputCounts = Schemas["InputCounts"];
export type ResultShown = Schemas["ResultShown"];
export type LateShown = Schemas["LateShown"];
