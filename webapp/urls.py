"""Every address of the web application: the API, sign-in, and the pages."""

from django.urls import URLPattern, URLResolver, include, path, re_path
from hijack.views import ReleaseUserView

from webapp.accounts.api import invitations, members, organisations, service_accounts
from webapp.accounts.api.me import MeView, PermissionsView
from webapp.accounts.api.quotas import QuotasView
from webapp.accounts.api.tokens import TokensView, TokenView
from webapp.accounts.sign_in.api import SignInView
from webapp.accounts.sign_in.openid import callback as sign_in_by_provider
from webapp.administration.audit_api import AuditExportView, AuditView
from webapp.administration.exports_api import ExportLinkView, ExportsView, ExportView, download
from webapp.administration.impersonation import ActAs
from webapp.administration.site import site
from webapp.alerts.api import alerts, channels
from webapp.alerts.api.annotations import AnnotationsView, AnnotationView
from webapp.alerts.api.incidents import IncidentResolveView, IncidentsView, IncidentTakeView
from webapp.boards import api as boards
from webapp.bundles import api as bundles
from webapp.confirmations import api as confirmations
from webapp.core.guide import GuideView
from webapp.core.http.pages import application_page, openapi_file
from webapp.live import api as live
from webapp.live.dashboard_api import DashboardView, DetailsView
from webapp.live.incidents.api import IncidentFileView, IncidentView
from webapp.live.ledger.api import FreshnessBudgetView, LedgerFileView, LedgerKeysView, LedgerView, LossBudgetView
from webapp.live.what_if.api import DelayEffectView
from webapp.monitoring import api as monitoring
from webapp.monitoring.charting.api import ResultChartView
from webapp.monitoring.exporting.api import BindingResultFileView, RunResultFileView
from webapp.monitoring.history_api import HistoryView
from webapp.monitoring.quarantine_api import QuarantineFileView, QuarantineView
from webapp.monitoring.subscribing.api import CurrentRowsView, OutputStreamView
from webapp.queries import api as queries
from webapp.queries import canvas_api as canvas
from webapp.queries.comparison.api import VersionDifferenceView, VersionMergeView
from webapp.queries.simulation import api as simulation
from webapp.runs.api import bindings as runs
from webapp.runs.api.delivered_rows import DeliveredRowsView
from webapp.runs.api.footprints import FootprintsView, FootprintView
from webapp.runs.api.history import RunDefinitionView
from webapp.runs.api.journal import JournalView
from webapp.runs.api.next_start import NextStartView
from webapp.runs.api.output_trials import OutputsCheckView
from webapp.runs.api.refused_requests import RefusedRequestsView
from webapp.runs.api.run import RunView
from webapp.runs.api.start import StartView, StopView
from webapp.runs.api.storage_cleanup import BindingResultsView, KeptView
from webapp.runs.api.timeline import TimelineView
from webapp.runs.api.uses import BindingUsesView
from webapp.runs.api.version_changes import VersionChangeView
from webapp.samples import api as samples
from webapp.samples.repairs_api import RepairsView
from webapp.scenarios import api as scenarios
from webapp.scenarios.own_streams_api import TemplatePreviewView, TemplateStreamsView
from webapp.scenarios.templates_api import TemplatesView, TemplateTakenView
from webapp.sharing.api import TileFiguresView
from webapp.streams import api as streams
from webapp.streams import push_api
from webapp.telemetry.api import MetricsView
from webapp.uploads import api as uploads

of_organisation: list[URLPattern | URLResolver] = [
    path("organisation/", organisations.OrganisationView.as_view()),
    path("organisation/transfer/", organisations.TransferView.as_view()),
    path("organisation/deletion/", organisations.DeletionView.as_view()),
    path("members/", members.MembersView.as_view()),
    path("members/<uuid:member>/", members.MemberView.as_view()),
    path("invitations/", invitations.InvitationsView.as_view()),
    path("invitations/<uuid:invitation>/", invitations.InvitationView.as_view()),
    path("invitations/<uuid:invitation>/resend/", invitations.ResendView.as_view()),
    path("service-accounts/", service_accounts.ServiceAccountsView.as_view()),
    path("service-accounts/<uuid:account>/", service_accounts.ServiceAccountView.as_view()),
    path("service-accounts/<uuid:account>/tokens/", service_accounts.ServiceAccountTokensView.as_view()),
    path("tokens/", TokensView.as_view()),
    path("tokens/<uuid:token>/", TokenView.as_view()),
    path("quotas/", QuotasView.as_view()),
    path("kept/", KeptView.as_view()),
    path("metrics", MetricsView.as_view()),
    path("audit/", AuditView.as_view()),
    path("audit/export/", AuditExportView.as_view()),
    path("exports/", ExportsView.as_view()),
    path("exports/<uuid:export>/", ExportView.as_view()),
    path("exports/<uuid:export>/link/", ExportLinkView.as_view()),
    path("adapters/", streams.AdaptersView.as_view()),
    path("streams/", streams.StreamsView.as_view()),
    path("streams/infer/", streams.InferView.as_view()),
    path("streams/<uuid:stream>/", streams.StreamView.as_view()),
    path("streams/<uuid:stream>/uses/", streams.StreamUsesView.as_view()),
    path("streams/<uuid:stream>/rows/", push_api.PushedRowsView.as_view()),
    path("streams/<uuid:stream>/sample/", streams.StreamSampleView.as_view()),
    path("files/", uploads.FilesView.as_view()),
    path("files/content/", uploads.FileContentView.as_view()),
    path("files/uploads/", uploads.UploadsView.as_view()),
    path("files/uploads/<uuid:upload>/", uploads.UploadView.as_view()),
    path("files/uploads/<uuid:upload>/finish/", uploads.UploadFinishView.as_view()),
    path("queries/", queries.QueriesView.as_view()),
    path("queries/validate/", queries.ValidateView.as_view()),
    path("queries/complete/", queries.CompleteView.as_view()),
    path("queries/explain/", queries.ExplainView.as_view()),
    path("queries/simulate/", simulation.SimulateView.as_view()),
    path("queries/complete-expression/", canvas.CompleteExpressionView.as_view()),
    path("queries/preflight/", queries.PreflightView.as_view()),
    path("queries/compare/", simulation.CompareView.as_view()),
    path("queries/what-if/", simulation.WhatIfView.as_view()),
    path("samples/stream/", samples.StreamRowsView.as_view()),
    path("samples/text/", samples.PastedRowsView.as_view()),
    path("samples/generated/", samples.GeneratedRowsView.as_view()),
    path("samples/quarantine/", samples.QuarantineRowsView.as_view()),
    path("samples/running/", samples.RunningRowsView.as_view()),
    path("samples/replay/", samples.ReplayView.as_view()),
    path("samples/why/", samples.WhyView.as_view()),
    path("queries/<uuid:query>/", queries.QueryView.as_view()),
    path("queries/<uuid:query>/labels/", queries.QueryLabelsView.as_view()),
    path("queries/<uuid:query>/uses/", queries.QueryUsesView.as_view()),
    path("queries/<uuid:query>/explain/", queries.QueryExplanationView.as_view()),
    path("queries/<uuid:query>/layout/", canvas.LayoutView.as_view()),
    path("queries/<uuid:query>/versions/", queries.VersionsView.as_view()),
    path("queries/<uuid:query>/difference/", VersionDifferenceView.as_view()),
    path("queries/<uuid:query>/merge/", VersionMergeView.as_view()),
    path("queries/<uuid:query>/verdicts/", scenarios.VerdictsView.as_view()),
    path("queries/<uuid:query>/scenarios/", scenarios.ScenariosView.as_view()),
    path("queries/<uuid:query>/scenarios/run/", scenarios.ScenariosRunView.as_view()),
    path("queries/<uuid:query>/scenarios/observe/", scenarios.ObserveView.as_view()),
    path("queries/<uuid:query>/scenarios/read/", scenarios.ReadTranscriptView.as_view()),
    path("queries/<uuid:query>/scenarios/<uuid:scenario>/", scenarios.ScenarioView.as_view()),
    path("queries/<uuid:query>/scenarios/<uuid:scenario>/transcript/", scenarios.ScenarioTranscriptView.as_view()),
    path("templates/", TemplatesView.as_view()),
    path("templates/<slug:template>/", TemplateTakenView.as_view()),
    path("templates/<slug:template>/streams/", TemplateStreamsView.as_view()),
    path("templates/<slug:template>/preview/", TemplatePreviewView.as_view()),
    path("definitions/", bundles.DefinitionsView.as_view()),
    path("definitions/plan/", bundles.PlanView.as_view()),
    path("definitions/apply/", bundles.ApplyView.as_view()),
    path("transcripts/run/", bundles.TranscriptsRunView.as_view()),
    path("confirmations/", confirmations.ConfirmationsView.as_view()),
    path("confirmations/<uuid:confirmation>/", confirmations.ConfirmationView.as_view()),
    path("confirmations/<uuid:confirmation>/decision/", confirmations.DecisionView.as_view()),
    path("confirmations/<uuid:confirmation>/carry-out/", confirmations.CarryOutView.as_view()),
    path("bindings/", runs.BindingsView.as_view()),
    path("bindings/<uuid:binding>/", runs.BindingView.as_view()),
    path("bindings/<uuid:binding>/next-start/", NextStartView.as_view()),
    path("bindings/<uuid:binding>/timeline/", TimelineView.as_view()),
    path("bindings/<uuid:binding>/start/", StartView.as_view()),
    path("bindings/<uuid:binding>/stop/", StopView.as_view()),
    path("bindings/<uuid:binding>/uses/", BindingUsesView.as_view()),
    path("bindings/<uuid:binding>/repairs/", RepairsView.as_view()),
    path("bindings/<uuid:binding>/version-change/", VersionChangeView.as_view()),
    path("bindings/<uuid:binding>/results/", BindingResultsView.as_view()),
    path("bindings/<uuid:binding>/results/file/", BindingResultFileView.as_view()),
    path("bindings/<uuid:binding>/results/chart/", ResultChartView.as_view()),
    path("bindings/<uuid:binding>/outputs/check/", OutputsCheckView.as_view()),
    path("bindings/<uuid:binding>/outputs/<uuid:output>/rows/", DeliveredRowsView.as_view()),
    path("bindings/<uuid:binding>/outputs/<uuid:output>/refused/", RefusedRequestsView.as_view()),
    path("bindings/<uuid:binding>/outputs/<slug:node>/stream/", OutputStreamView.as_view()),
    path("bindings/<uuid:binding>/outputs/<slug:node>/current/", CurrentRowsView.as_view()),
    path("footprints/", FootprintsView.as_view()),
    path("footprints/<uuid:footprint>/", FootprintView.as_view()),
    path("runs/", runs.RunsView.as_view()),
    path("runs/<uuid:run>/", RunView.as_view()),
    path("runs/<uuid:run>/definition/", RunDefinitionView.as_view()),
    path("runs/<uuid:run>/results/", monitoring.ResultsView.as_view()),
    path("runs/<uuid:run>/results/file/", RunResultFileView.as_view()),
    path("runs/<uuid:run>/quarantine/", QuarantineView.as_view()),
    path("runs/<uuid:run>/quarantine/file/", QuarantineFileView.as_view()),
    path("runs/<uuid:run>/history/", HistoryView.as_view()),
    path("runs/<uuid:run>/journal/", JournalView.as_view()),
    path("runs/<uuid:run>/logs/", monitoring.LogsView.as_view()),
    path("runs/<uuid:run>/events/", monitoring.EventsView.as_view()),
    path("home/", live.HomeView.as_view()),
    path("home/<uuid:binding>/", DashboardView.as_view()),
    path("home/<uuid:binding>/details/", DetailsView.as_view()),
    path("home/<uuid:binding>/what-if/", DelayEffectView.as_view()),
    path("home/<uuid:binding>/budget/", LossBudgetView.as_view()),
    path("home/<uuid:binding>/freshness/", FreshnessBudgetView.as_view()),
    path("home/<uuid:binding>/ledger/", LedgerView.as_view()),
    path("home/<uuid:binding>/ledger/file/", LedgerFileView.as_view()),
    path("boards/", boards.BoardsView.as_view()),
    path("boards/figures/", TileFiguresView.as_view()),
    path("boards/<uuid:board>/", boards.BoardView.as_view()),
    path("boards/<uuid:board>/versions/", boards.BoardVersionsView.as_view()),
    path("alerts/", alerts.AlertsView.as_view()),
    path("alerts/<uuid:alert>/acknowledge/", alerts.AcknowledgeView.as_view()),
    path("alerts/transitions/", alerts.TransitionsView.as_view()),
    path("alerts/rules/", alerts.RulesView.as_view()),
    path("alerts/backtest/", alerts.BacktestView.as_view()),
    path("alerts/silences/", alerts.SilencesView.as_view()),
    path("alerts/silences/<uuid:silence>/", alerts.SilenceView.as_view()),
    path("annotations/", AnnotationsView.as_view()),
    path("annotations/<uuid:annotation>/", AnnotationView.as_view()),
    path("incidents/", IncidentsView.as_view()),
    path("incidents/<uuid:incident>/", IncidentView.as_view()),
    path("incidents/<uuid:incident>/file/", IncidentFileView.as_view()),
    path("incidents/<uuid:incident>/take/", IncidentTakeView.as_view()),
    path("incidents/<uuid:incident>/resolve/", IncidentResolveView.as_view()),
    path("alerts/channel-kinds/", channels.ChannelKindsView.as_view()),
    path("alerts/channels/", channels.ChannelsView.as_view()),
    path("alerts/channels/<uuid:channel>/", channels.ChannelView.as_view()),
    path("alerts/channels/<uuid:channel>/test/", channels.ChannelTestView.as_view()),
    path("alerts/channels/<uuid:channel>/messages/", channels.ChannelMessagesView.as_view()),
]
handler400 = "webapp.core.errors.bad_request"
handler404 = "webapp.core.errors.page_not_found"
handler500 = "webapp.core.errors.server_error"
urlpatterns: list[URLPattern | URLResolver] = [
    path("_allauth/oidc/<slug:provider_id>/callback/", sign_in_by_provider, name="openid_callback"),
    path("_allauth/", include("allauth.headless.urls")),
    path("api/", application_page, name="api_reference"),
    path("api/openapi.json", openapi_file),
    path("api/sign-in/", SignInView.as_view()),
    path("api/me/", MeView.as_view()),
    path("api/ledger-keys/", LedgerKeysView.as_view()),
    path("api/guide/", GuideView.as_view()),
    path("api/permissions/", PermissionsView.as_view()),
    path("api/organisations/", organisations.OrganisationsView.as_view()),
    path("api/invitations/look/", invitations.LookView.as_view()),
    path("api/invitations/accept/", invitations.AcceptView.as_view()),
    path("api/t/<slug:slug>/", include(of_organisation)),
    path("api/impersonation/stop/", ReleaseUserView.as_view()),
    path("api/downloads/<str:signed>/", download),
    path("installation/impersonation/acquire/", ActAs.as_view(), name="act-as"),
    path("installation/", site.urls),
    re_path(r"^(?!api/|_allauth/|assets/|static/).*$", application_page),
]
