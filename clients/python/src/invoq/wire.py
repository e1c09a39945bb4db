"""What the gateway answers, by its wire contract. A later gateway may add fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Mapping, Sequence, TypedDict


class _MetadataAlways(TypedDict):
    tool_name: str
    timestamp: str
    trace_id: str


class Metadata(_MetadataAlways, total=False):
    execution_time_ms: float
    performance: dict[str, float]
    cache: dict[str, Any]
    job_id: str
    attempts: int
    tool_version: str
    cost: dict[str, int]
    """`micros`: millionths of a US dollar, of a call that ran and whose tool has a cost."""
    warnings: list[str]


class _ErrorAlways(TypedDict):
    code: str
    message: str
    retryable: bool


class EnvelopeError(_ErrorAlways, total=False):
    native_code: str
    hint: str
    details: list[dict[str, str]]
    retry_after_ms: float


class _EnvelopeAlways(TypedDict):
    success: bool
    status: Literal["success", "error"]
    metadata: Metadata


class Envelope(_EnvelopeAlways, total=False):
    data: Any
    error: EnvelopeError
    debug_info: dict[str, Any]


class BatchCall(TypedDict):
    id: str | int
    name: str
    arguments: Mapping[str, Any]


class BatchResult(Envelope):
    """The envelope of one call of a batch, with the id of that call."""

    id: str | int


class Progress(TypedDict):
    progress: float
    """0–100."""
    message: str


class _RestAlways(TypedDict):
    reason: Literal["approval", "question", "connection", "event", "sleep", "scheduled", "paused", "flow"]
    since: str
    until: str
    """When it ends by itself."""


class RestPause(TypedDict):
    name: str
    reason: str


class RestFlow(TypedDict):
    name: str
    text: str
    """In words: `waits for 2 others of account 17`."""
    place: int
    """From 1."""


class Rest(_RestAlways, total=False):
    """A call at rest: it waits for a time or for somebody, and for no worker."""

    input_request: str
    """The id of what a person is asked; see `input_requests`."""
    pause: RestPause
    """What it waits for, where it is paused; see `pauses`."""
    flow: RestFlow
    """The line in which it waits for others; see `flows`."""


class _JobAlways(TypedDict):
    job_id: str
    tool_name: str
    trace_id: str
    state: Literal["waiting", "active", "delayed", "resting", "completed", "failed", "cancelled"]
    progress: Progress | None
    attempts_made: int
    max_attempts: int
    created_at: str
    started_at: str | None
    finished_at: str | None
    result: Envelope | None


class Job(_JobAlways, total=False):
    rest: Rest | None
    """None while it does not rest. Older gateways do not tell it."""


class ResultPart(TypedDict):
    result_id: str
    tool_name: str
    characters: int
    """Of the whole, as JSON, in UTF-16 code units: where it has characters beyond U+FFFF, `len` counts fewer."""
    offset: int
    next_offset: int | None
    """None at the end."""
    text: str


class Trace(TypedDict):
    trace_id: str
    started_at: str
    duration_ms: float
    spans: list[dict[str, Any]]


@dataclass(frozen=True)
class Result:
    data: Any
    """The output of the tool, as its contract says."""
    metadata: Metadata
    debug_info: dict[str, Any] | None = None
    """With the option `debug`, outside production."""


@dataclass(frozen=True)
class Started:
    """A call that was started without waiting: a job, or an answer from the cache."""

    job_id: str | None
    trace_id: str
    result: Result | None


@dataclass(frozen=True)
class Event:
    event: Literal["tool_progress", "tool_retrying", "tool_resting", "tool_resumed", "tool_result", "tool_error"]
    id: str
    data: dict[str, Any]


@dataclass(frozen=True)
class JobPage:
    jobs: list[Job]
    next_cursor: str | None


class RelayedRequest(TypedDict):
    """What an outside server asks of a client of MCP."""

    method: Literal["sampling/createMessage", "roots/list", "elicitation/create"]
    params: dict[str, Any]


class _InputRequestAlways(TypedDict):
    id: str
    kind: Literal["approval", "question", "connection"]
    job_id: str
    tool_name: str
    message: str
    schema: dict[str, Any] | None
    """JSON Schema of the content that is asked for; None for an approval."""
    arguments: dict[str, Any] | None
    """Sensitive ones are `[redacted]`. None where they are too large to show."""
    requested_by: str
    created_at: str
    expires_at: str
    state: Literal["open", "accepted", "declined", "cancelled", "expired"]
    decided_by: str | None
    decided_at: str | None
    reason: str | None


class InputRequest(_InputRequestAlways, total=False):
    """What a person is asked while a call rests."""

    url: str | None
    """Of a connection, for its own caller: where their browser goes."""
    request: RelayedRequest | None
    """Of a question of an outside server to a client of MCP, for its own caller: what is asked, for which `schema` stands."""


@dataclass(frozen=True)
class InputRequestPage:
    input_requests: list[InputRequest]
    next_cursor: str | None


class FlowRate(TypedDict):
    max: int
    per_ms: int


class NewFlow(TypedDict, total=False):
    """Calls that meet both `tool` and `domain`, where they are given. `concurrency` or `rate` is needed."""

    tool: str
    domain: str
    key: str
    """CEL over `args`, `caller` and `tool`: calls with the same value are in one line. Default: all calls of the flow are."""
    concurrency: int
    """How many calls of a line run at a time."""
    rate: FlowRate
    """How many calls of a line begin in so many ms."""


class Flow(TypedDict):
    name: str
    by: Literal["operator", "tenant"]
    """Who made it, and may change it."""
    tool: str | None
    domain: str | None
    key: str | None
    """None where all its calls are in one line."""
    concurrency: int | None
    rate: FlowRate | None
    waiting: int | None
    """Calls that wait in its lines, a few seconds ago; None where that is not the reader's to know."""
    created_at: str
    updated_at: str
    problem: str | None
    """Why its key cannot be worked out by this version of the gateway; None where it can."""


class WaitingLine(TypedDict):
    """A line in which calls wait for each other."""

    flow: str
    """The name of its flow; of the tool, where the contract of a tool brings it."""
    by: Literal["operator", "tenant", "contract"]
    of: str | None
    """What its calls have in common: `account 17`; None where that cannot be told now."""
    concurrency: int | None
    rate: FlowRate | None
    running: int
    """Calls that have a place in it."""
    waiting: int
    first: str
    """The job that is the next."""
    since: str
    """Since when it waits."""


class _NewPauseAlways(TypedDict):
    reason: str
    """For people who wonder why a call waits."""


class NewPause(_NewPauseAlways, total=False):
    """A call is paused that meets all of `tool`, `domain` and `tenant` that are given; one of them is needed."""

    tool: str
    domain: str
    tenant: str
    """Whose calls. Default: those of all tenants for an operator, of the own one for everybody else."""
    refuse: bool
    """Whether calls that come meanwhile are refused, in the place of waiting. Default false."""


class Pause(TypedDict):
    name: str
    by: Literal["operator", "tenant"]
    """Who made it, and may delete it."""
    tool: str | None
    domain: str | None
    tenant: str | None
    reason: str
    refuse: bool
    waiting: int | None
    """Calls that wait for its end; None where that is not the reader's to know."""
    created_at: str
    updated_at: str


class _NewBudgetAlways(TypedDict):
    period: Literal["day", "month"]


class NewBudget(_NewBudgetAlways, total=False):
    """One of the two limits is needed."""

    user: str
    key: str
    tool: str
    time_zone: str
    """IANA: whose midnight begins a period. Default UTC."""
    limit_micros: int
    """Millionths of a US dollar."""
    limit_calls: int
    warn_at: float
    """The share of a limit from which on it warns. Default 0.8."""


class BudgetSpent(TypedDict):
    """In the present period: by calls that have ended, and held for those that are open."""

    micros: int
    calls: int
    reserved_micros: int
    reserved_calls: int
    since: str
    resets_at: str


class Budget(TypedDict):
    name: str
    tenant: str
    user: str | None
    key: str | None
    tool: str | None
    period: Literal["day", "month"]
    time_zone: str
    limit_micros: int | None
    limit_calls: int | None
    warn_at: float
    created_at: str
    updated_at: str
    spent: BudgetSpent


class _NewToolsetAlways(TypedDict):
    tools: list[str]
    """Names of tools; `*` stands for any characters."""


class NewToolset(_NewToolsetAlways, total=False):
    rename: dict[str, str]
    """Other names, by the names of tools."""
    prefix: str
    """What each name begins with, renamed or not."""
    read_only: bool
    """Only tools that change nothing."""


class ToolsetProblem(TypedDict):
    """A tool that a set has and cannot offer."""

    tool: str
    name: str
    reason: str


class Toolset(TypedDict):
    name: str
    tools: list[str]
    rename: dict[str, str]
    prefix: str
    read_only: bool
    created_at: str
    updated_at: str
    offers: int
    """How many tools it offers now."""
    problems: list[ToolsetProblem]


class ToolOfSet(TypedDict):
    name: str
    """Under which the agent sees and calls it."""
    tool: str
    """Its own name."""
    effect: Literal["read", "write"]
    definition: dict[str, Any]
    tokens: int
    answer_tokens: float


class ToolsetPreview(TypedDict):
    """What an agent sees of a set."""

    tools: list[ToolOfSet]
    tokens: int
    """Of all definitions together."""
    problems: list[ToolsetProblem]
class NewProvider(TypedDict, total=False):
    """One of `preset`, `issuer`, `resource`, both endpoints, or `api_key` is needed."""

    title: str
    preset: Literal["github", "google", "linear", "microsoft", "notion", "slack"]
    issuer: str
    resource: str
    authorization_endpoint: str
    token_endpoint: str
    revocation_endpoint: str
    registration_endpoint: str
    client_id: str
    client_secret: str
    client_authentication: Literal["client_secret_basic", "client_secret_post", "none"]
    scopes: list[str]
    more_scopes: list[str]
    """For which rights outside servers may ask in the middle of a call."""
    scope_separator: Literal[" ", ","]
    authorization_parameters: dict[str, str]
    api_key: bool | dict[str, str]
    """Users paste a key there instead."""
    return_origins: list[str]


class Provider(TypedDict):
    name: str
    title: str
    kind: Literal["oauth2", "api_key"]
    preset: str | None
    issuer: str | None
    resource: str | None
    authorization_endpoint: str | None
    token_endpoint: str | None
    revocation_endpoint: str | None
    client_id: str | None
    client: Literal["registered", "metadata_document", "dynamic"] | None
    has_client_secret: bool
    scopes: list[str]
    return_origins: list[str]
    redirect_uri: str | None
    """To be registered at the provider."""
    revokes: bool
    connections: int
    given: NewProvider
    """What was put, without the secret of the client: to be changed, and put again."""
    created_at: str
    updated_at: str


class ConnectionAddress(TypedDict):
    """For the browser of the user who asked, once."""

    url: str
    expires_at: str


class Connection(TypedDict):
    id: str
    provider: str
    user: str
    state: Literal["connected", "reconnect"]
    """`reconnect`: its user has to connect it again."""
    reason: str | None
    scopes: list[str]
    created_at: str
    updated_at: str


class RemovedConnection(Connection):
    revoked: bool | None
    """Whether the provider has revoked its tokens; None where it has no way to."""


class _ServerConnectionAlways(TypedDict):
    provider: str


class ServerConnection(_ServerConnectionAlways, total=False):
    scopes: list[str]


class _OutsideQueryAlways(TypedDict):
    name: str
    description: str
    sql: str
    """One SELECT, with `:name` for each parameter."""


class OutsideQuery(_OutsideQueryAlways, total=False):
    title: str
    parameters: dict[str, dict[str, Any]]
    """JSON Schemas by the names of parameters: descriptions, and defaults, which make one optional."""
    max_rows: int
    timeout_ms: int


class _NewOutsideServerAlways(TypedDict):
    name: str


class AppRules(TypedDict, total=False):
    """What pages of outside tools (MCP Apps) may do in a client."""

    domains: list[str]
    """Where they may load from and what they may speak to: `https://api.example.com`, `https://*.example.com`, `wss://…`."""
    permissions: list[Literal["camera", "microphone", "geolocation", "clipboardWrite"]]


class NewOutsideServer(_NewOutsideServerAlways, total=False):
    """An outside server to register: exactly one of `url`, `stdio` and `document`."""

    kind: Literal["auto", "mcp", "rest", "openapi", "sql"]
    """Default `auto`: MCP, else REST. With `openapi` the address is that of a document."""
    url: str
    """Of a database `postgres://user:password@host:5432/database`; it is sealed."""
    queries: list[OutsideQuery]
    """Of the kind `sql`: the queries that are its tools."""
    stdio: str
    document: str | dict[str, Any]
    """An OpenAPI document, as a dict or as text."""
    base_url: str
    """Where the service of the document answers; by default where the document says."""
    include: list[str]
    """Operations of the document: names, `tag:NAME` or `GET /path`, with `*` for any characters."""
    exclude: list[str]
    headers: dict[str, str]
    credentials: dict[str, str]
    """By the security schemes of the document."""
    connection: ServerConnection
    """Each call is made with its caller's own account at this provider."""
    may_ask: list[Literal["sampling", "roots"]]
    """What a server of MCP may ask of its callers' clients within a call, besides forms. Default: nothing."""
    apps: AppRules
    """What the pages of its tools may load and use in a client. Default: nothing."""
    tools: list[str]
    tenants: Literal["own", "*"]
    timeout_ms: int
    """Of an attempt."""
    cache_ttl: int
    """Seconds that answers of tools that only read are kept."""


class _OutsideServerToolAlways(TypedDict):
    name: str
    """Its name at the server."""
    offered_as: str | None
    """Its name here; None for one that is not served."""
    title: str
    state: Literal["served", "suspended", "rejected"]


class OutsideServerTool(_OutsideServerToolAlways, total=False):
    reason: str


class _OutsideServerAlways(TypedDict):
    name: str
    tenant_id: str | None
    kind: Literal["mcp", "rest", "openapi", "sql"]
    has_headers: bool
    connection: ServerConnection | None
    """The provider whose accounts of callers it is called with; None for none."""
    approval: int
    approved_by: str
    approved_at: str
    tools: list[OutsideServerTool]


class OutsideServer(_OutsideServerAlways, total=False):
    url: str
    base_url: str
    operations: int
    """Of an OpenAPI document, wanted or not."""
    may_ask: list[Literal["sampling", "roots"]]
    """What it may ask of its callers' clients besides forms. Absent from gateways before it."""
    apps: AppRules
    """What the pages of its tools may do. Absent from gateways before it."""
    registered: dict[str, Any]
    """In the answer to a registration, such as its `warnings`."""


class _NewPolicyAlways(TypedDict):
    when: str
    """CEL over `args`, `caller`, `tool` and `now`."""
    then: Literal["deny", "ask"]


class NewPolicy(_NewPolicyAlways, total=False):
    message: str
    """What the caller is told, or the person who is asked."""
    expires_ms: int
    """For `ask`: how long a person has. Default: a day."""
    self: bool
    """For `ask`: whether who made the call may approve it. Default False."""


class Policy(TypedDict):
    name: str
    when: str
    then: Literal["deny", "ask"]
    message: str | None
    expires_ms: int | None
    self: bool
    created_at: str
    updated_at: str
    problem: str | None
    """Why it cannot be worked out; every call is denied then."""


class PolicyPart(TypedDict):
    part: str
    value: bool | None


class TriedPolicy(TypedDict):
    name: str | None
    then: Literal["deny", "ask"]
    holds: bool | None
    """None where it could not be worked out."""
    error: str | None
    because: list[PolicyPart]
    cost_us: float


class PolicyVerdict(TypedDict):
    outcome: Literal["allow", "deny", "ask"]
    policy: str | None
    """The one that counts."""
    message: str | None
    policies: list[TriedPolicy]


class NewSchedule(TypedDict, total=False):
    """`name`, `tool`, and one of `cron` and `every_ms` are needed."""

    name: str
    tool: str
    arguments: Mapping[str, Any]
    cron: str
    """Five or six fields."""
    every_ms: int
    time_zone: str
    """IANA, default `UTC`."""
    starts_at: str | None
    ends_at: str | None
    overlap: Literal["skip", "queue", "allow"]
    missed: Literal["skip", "once", "all"]
    jitter_ms: int
    paused: bool


class ScheduleProblem(TypedDict):
    code: str
    message: str


class Schedule(TypedDict):
    id: str
    name: str
    owner: str
    tool: str
    arguments: dict[str, Any]
    cron: str | None
    every_ms: int | None
    time_zone: str
    starts_at: str | None
    ends_at: str | None
    overlap: Literal["skip", "queue", "allow"]
    missed: Literal["skip", "once", "all"]
    jitter_ms: int
    paused: bool
    state: Literal["active", "paused", "stopped", "ended"]
    problem: ScheduleProblem | None
    created_at: str
    updated_at: str
    next_at: str | None
    last_at: str | None
    last_job_id: str | None


class ScheduleRun(TypedDict):
    """What became of one moment."""

    at: str
    manual: bool
    state: Literal["due", "called", "skipped", "missed", "failed"]
    called_at: str | None
    job_id: str | None
    job_state: str | None
    """None where the job is kept no more."""
    error: ScheduleProblem | None


@dataclass(frozen=True)
class SchedulePage:
    schedules: list[Schedule]
    next_cursor: str | None


@dataclass(frozen=True)
class ScheduleRunPage:
    runs: list[ScheduleRun]
    next_cursor: str | None


class _NewBatchCall(TypedDict):
    name: str


class NewBatchCall(_NewBatchCall, total=False):
    """One call of a batch. id: tells it from the others in the results."""

    id: str | int
    arguments: Mapping[str, Any]
    options: Mapping[str, Any]


class ReplaySelection(TypedDict, total=False):
    """Failed calls that meet each filter, or those with these ids. `from` and `to`: when they ended."""

    tool: str
    code: str
    user: str
    job_ids: Sequence[str]


class Batch(TypedDict):
    """The counts of calls add up to `total`."""

    batch_id: str
    state: Literal["accepting", "running", "completed", "cancelled"]
    total: int
    waiting: int
    active: int
    resting: int
    completed: int
    failed: int
    cancelled: int
    reason: str | None
    created_at: str
    finished_at: str | None


class BatchLine(Envelope):
    """What became of one call. `index` counts from 0."""

    id: str | int | None
    index: int


@dataclass(frozen=True)
class BatchPage:
    batches: list[Batch]
    next_cursor: str | None


WebhookEventType = Literal[
    "call.completed",
    "call.failed",
    "call.cancelled",
    "call.resting",
    "input.requested",
    "input.decided",
    "batch.completed",
    "budget.warning",
    "budget.exceeded",
    "schedule.missed",
    "webhook.disabled",
    "tool.failing",
    "domain.without_workers",
]


class NewWebhook(TypedDict, total=False):
    """`url` and `events` are needed."""

    url: str
    events: list[WebhookEventType]
    filter: str
    """CEL over `event`."""


class WebhookChange(TypedDict, total=False):
    url: str
    events: list[WebhookEventType]
    filter: str | None
    enabled: bool
    """True takes up again one that was disabled."""


class Webhook(TypedDict):
    id: str
    url: str
    events: list[WebhookEventType]
    filter: str | None
    enabled: bool
    disabled_reason: str | None
    disabled_at: str | None
    failing_since: str | None
    approves: bool
    """Whether what it is told of an approval has a link that decides."""
    previous_secret_until: str | None
    created_by: str
    created_at: str
    updated_at: str


class WebhookWithSecret(Webhook):
    secret: str
    """`whsec_…`, told this once."""


class WebhookDelivery(TypedDict):
    """One event on its way to one webhook."""

    id: str
    webhook_id: str
    event_id: str
    """The header `webhook-id`."""
    type: str
    job_id: str | None
    url: str | None
    state: Literal["waiting", "succeeded", "failed"]
    attempts: int
    created_at: str
    next_at: str | None
    last_at: str | None
    last_status: int | None
    last_error: str | None
    last_duration_ms: int | None
    event: dict[str, Any]


@dataclass(frozen=True)
class WebhookDeliveryPage:
    deliveries: list[WebhookDelivery]
    next_cursor: str | None


class ErrorSample(TypedDict):
    """One call that ended with an error."""

    at: str
    trace_id: str
    job_id: str | None
    """None for a call that was refused before it became a job."""
    user_id: str | None
    message: str | None
    """None after a day."""


class ErrorKind(TypedDict):
    """Errors with one tenant, tool, code, cause and message."""

    id: str
    tenant_id: str | None
    """None where more kinds were counted than have a place of their own; so are the tool, the tool's own code and the message."""
    tool_name: str | None
    code: str
    native_code: str | None
    cause: Literal["caller", "system"]
    message: str | None
    """Without what differs from call to call."""
    count: int
    counts: list[int]
    """In each step of the series."""
    first_at: str
    last_at: str
    samples: list[ErrorSample]
    """The latest three, newest first."""


ErrorsPage = TypedDict(
    "ErrorsPage",
    {
        "from": str,
        "to": str,
        "total": dict[str, int],
        "step_ms": int,
        "series": list[dict[str, Any]],
        "errors": list[ErrorKind],
        "pagination": dict[str, Any],
    },
)
"""Answer of `errors`; the most frequent come first."""


ErrorsFilter = TypedDict(
    "ErrorsFilter",
    {
        "scope": Literal["tenant", "all"],
        "tenant": str,
        "tool": str,
        "code": str,
        "cause": Literal["caller", "system"],
        "from": str,
        "to": str,
        "cursor": str,
        "limit": int,
    },
    total=False,
)
"""What `errors` takes. Times are ISO 8601; `to` is now and `from` an hour before by default."""


OpenFilter = TypedDict(
    "OpenFilter",
    {
        "tool": str,
        "state": Literal["waiting", "active", "delayed", "resting"],
        "from": str,
        "to": str,
        "user": str,
    },
    total=False,
)
"""Calls that have not ended and meet each of these. Times are ISO 8601, of when they were accepted; `user`: for whom the key may act."""


class CancelledCalls(TypedDict):
    """A request looks at so many calls, the newest first: `next_to` says where it stopped, and is None at the end."""

    cancelled: int
    next_to: str | None


CallSumsFilter = TypedDict(
    "CallSumsFilter",
    {
        "by": str,
        "scope": Literal["mine", "tenant", "all"],
        "tenant": str,
        "tool": str,
        "user": str,
        "conversation": str,
        "from": str,
        "to": str,
        "cursor": str,
        "limit": int,
    },
    total=False,
)
"""What `call_sums` takes. `by`: day, tenant, user, key, tool, model and conversation, comma-separated, `day,tool` by default; days are those of UTC."""


class _CallFigures(TypedDict):
    calls: int
    completed: int
    failed: int
    cancelled: int
    attempts: int
    execution_ms: float
    p50_ms: float | None
    p95_ms: float | None
    p99_ms: float | None
    input_tokens: int
    output_tokens: int
    cost_micros: int


class CallSum(_CallFigures, total=False):
    """What it groups by is there alone. `cost_micros`: millionths of a US dollar. Quantiles are in ms, and None where none is known."""

    day: str
    tenant_id: str
    user_id: str | None
    credential_id: str
    tool_name: str
    model: str | None
    conversation_id: str | None


@dataclass(frozen=True)
class CallSumsPage:
    sums: list[CallSum]
    next_cursor: str | None
