"""Client of an Invoq gateway, the tool backend of AI agents.

    from invoq import Invoq

    with Invoq("http://127.0.0.1:3000", key="invoq_…") as invoq:
        weather = invoq.call("get_weather", {"location": "Beijing"}).data

`AsyncInvoq` is the same for asyncio.

An error of a tool or of the gateway is raised as `InvoqError`, with the code, whether a retry may help, and the trace id.
"""

from .async_client import AsyncInvoq
from .client import Invoq
from .errors import InvoqError
from .wire import (
    Batch,
    BatchCall,
    BatchLine,
    BatchPage,
    BatchResult,
    Envelope,
    EnvelopeError,
    Event,
    InputRequest,
    InputRequestPage,
    Job,
    JobPage,
    Metadata,
    NewBatchCall,
    Budget,
    NewBudget,
    NewPolicy,
    NewSchedule,
    NewToolset,
    Toolset,
    ToolsetPreview,
    NewWebhook,
    Progress,
    Result,
    Policy,
    PolicyVerdict,
    ReplaySelection,
    Schedule,
    SchedulePage,
    ScheduleRun,
    ScheduleRunPage,
    Started,
    Trace,
    Webhook,
    WebhookChange,
    WebhookDelivery,
    WebhookDeliveryPage,
    WebhookEventType,
    WebhookWithSecret,
)

__all__ = [
    "AsyncInvoq",
    "Batch",
    "BatchCall",
    "BatchLine",
    "BatchPage",
    "BatchResult",
    "Envelope",
    "EnvelopeError",
    "Event",
    "InputRequest",
    "InputRequestPage",
    "Invoq",
    "InvoqError",
    "Job",
    "JobPage",
    "Metadata",
    "NewBatchCall",
    "Budget",
    "NewBudget",
    "NewPolicy",
    "NewSchedule",
    "NewToolset",
    "Toolset",
    "ToolsetPreview",
    "NewWebhook",
    "Progress",
    "Result",
    "Policy",
    "PolicyVerdict",
    "ReplaySelection",
    "Schedule",
    "SchedulePage",
    "ScheduleRun",
    "ScheduleRunPage",
    "Started",
    "Trace",
    "Webhook",
    "WebhookChange",
    "WebhookDelivery",
    "WebhookDeliveryPage",
    "WebhookEventType",
    "WebhookWithSecret",
]
