"""Answers questions and does tasks on a document, for new and resumed runs."""

from ralph_cli.documents.source import DocumentSource
from ralph_cli.providers.wrapper import preload
from ralph_cli.runs.execute import Job, Setup, require_text
from ralph_cli.runs.opening import load_documents
from ralph_cli.runs.result import Result
from ralph_cli.runs.reuse import run_or_reuse
from ralph_cli.wiring.models import sdk_loader
from ralph_cli.wiring.qa import build_qa


def answer_question(source: DocumentSource, question: str, setup: Setup) -> Result:
    """Answer `question`, which may follow on others, from the document; see `api.ask` and `api.follow_up`."""
    question = require_text(question, "question", 'ralph qa report.pdf "What was ...?"')
    names = setup.choose_models()
    preload([sdk_loader(setup.settings, names.worker)])
    source = load_documents(source, setup.settings)
    document = source.load()

    follows = setup.followed.record if setup.followed else {}
    job = Job("qa", question, document, names, read_as=source.record, follows=follows)
    setup = setup.with_shared_marks(document)
    return run_or_reuse(job, lambda stage: build_qa(stage, document, question, source, setup.verifier), setup)


def do_task(source: DocumentSource | None, task: str, setup: Setup) -> Result:
    """Do `task` on the document, or with the memory alone; see `api.run_task`."""
    task = require_text(task, "task", 'ralph task contract.docx "List every deadline"')
    from ralph_cli.wiring.task import build_task, read_spec

    settings = setup.settings
    names = setup.choose_models()
    preload([sdk_loader(settings, names.worker)])
    source = load_documents(source, settings) if source else None
    document = source.load() if source else None
    spec = read_spec(settings, task, document, setup.earlier.folders if setup.earlier else ())

    terms = {"schema": spec.output.schema, "memory": "" if document else spec.memory}
    origin = source or DocumentSource("")
    job = Job("task", task, document, names, read_as=origin.record, terms=terms)
    return run_or_reuse(job, lambda stage: build_task(stage, document, spec, origin, setup.verifier), setup)
