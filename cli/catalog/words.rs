//! The word lists, as `[words]` writes them.
//!
//! In: the table of the built-in words file. Out: [`Words`].

use crate::toml_text::Fields;

/// Names that mean something where following ends.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// header names that carry a key, lower case
    pub key_headers: Vec<String>,
    /// parts of addresses, and the headers that carry a key there
    pub path_headers: Vec<(String, String)>,
    /// field, method and column names that carry a key, snake case
    pub key_names: Vec<String>,
    /// columns that hold the key of a request, beside those
    pub request_key_columns: Vec<String>,
    /// last words in the names of what a service signs its digests with
    pub secret_words: Vec<String>,
    /// names of a key by which whoever asks tells a repeat of a request, of inputs and columns
    pub asker_key_names: Vec<String>,
    /// parts of the names of columns that hold what a request was answered with
    pub answer_columns: Vec<String>,
    /// verbs of a presumed dispatch
    pub verbs: Vec<String>,
    /// those that a client of a crate which no row speaks of is taken at its word for
    pub foreign_verbs: Vec<String>,
    /// methods of a connection that say how many rows the last statement has changed
    pub row_count_calls: Vec<String>,
    /// methods of the answer to a transaction that was sent to a chain
    pub receipt_calls: Vec<String>,
    /// what numbers the transactions of a sender
    pub transaction_numbers: Vec<String>,
    /// words in the names of calls that send what was signed before
    pub signed_names: Vec<String>,
    /// suffixes of a presumed receiver
    pub receivers: Vec<String>,
    /// suffixes of traits of the workspace behind which something outside acts
    pub interfaces: Vec<String>,
    /// method-name prefixes that keep their receiver's origins: `to_`, `as_`, `into_`
    pub keeping_prefixes: Vec<String>,
    /// field and parameter names that identify a tenant, user, amount or date only
    pub coarse_names: Vec<String>,
    /// calls that leave of a time its day
    pub day_calls: Vec<String>,
    /// types of a day, by canonical path
    pub day_types: Vec<String>,
    /// words in the names of the time at which something was asked for or came about
    pub happening_names: Vec<String>,
    /// what remote procedures are called that only read, where no verb says so: `eth_chainId` …
    pub reading_nouns: Vec<String>,
    /// hosts by which a machine calls itself
    pub local_hosts: Vec<String>,
    /// collections that are changed through an exclusive borrow alone
    pub plain_collections: Vec<String>,
    /// kinds of failures that are tried again: `Temporary`
    pub passing_kinds: Vec<String>,
    /// words in names of errors of which a lost answer is one: timeout, transport …
    pub way_errors: Vec<String>,
    /// fields of an error by which an answer says how it came out
    pub status_fields: Vec<String>,
    /// words in names of errors that may hold anything: other, internal …
    pub open_errors: Vec<String>,
    /// whole names of errors that say that no answer came: timeout …
    pub lost_answers: Vec<String>,
    /// last words of the names of enums of answers: outcome, verdict …
    pub outcome_names: Vec<String>,
    /// words in the names of flags by which an answer says that all went well
    pub good_flags: Vec<String>,
    /// verbs by which something is ordered of somebody else, where a key goes along
    pub ordering_verbs: Vec<String>,
    /// words in the names of what keeps things under keys
    pub keyed_stores: Vec<String>,
    /// columns that count what was taken: to take it back makes them less
    pub taken_columns: Vec<String>,
    /// words in the names of enums that tell sorts of things apart rather than outcomes
    pub sort_names: Vec<String>,
    /// fields and variants by which a message is given back to its queue, to come again
    pub requeueing_names: Vec<String>,
    /// names of request handlers by which somebody delivers who comes back if that is refused
    pub redelivering_names: Vec<String>,
    /// calls that wait for the process itself rather than for an answer
    pub waiting_calls: Vec<String>,
    /// words in the name of an error beside those that say that it is not tried again after all
    pub ending_kinds: Vec<String>,
    /// last words of functions that only answer what somebody asked
    pub reply_words: Vec<String>,
    /// types of an open transaction, by canonical path
    pub transaction_types: Vec<String>,
    /// words of functions that say how things stand, or put a content in its place: what is said twice is the same
    pub stating_words: Vec<String>,
    /// types that a task is waited for by: JoinHandle …
    pub task_handles: Vec<String>,
    /// last parts of addresses that say only that several are asked for at once: batch …
    pub batch_paths: Vec<String>,
    /// field and parameter names of an attempt: attempt, retry_count …
    pub attempt_names: Vec<String>,
    /// what belongs to one delivery of a message
    pub delivery_names: Vec<String>,
    /// what belongs to one message: whoever sends a command again sends another one
    pub message_names: Vec<String>,
    /// columns that name what somebody delivers, as often as it is not answered
    pub delivered_columns: Vec<String>,
    /// where a message stands: topic, partition …
    pub place_names: Vec<String>,
    /// columns that say what was asked for
    pub digest_columns: Vec<String>,
    /// field names that hold personal or secret data
    pub sensitive_names: Vec<String>,
    /// loop variables and calls that show a loop takes new work rather than repeating: recv, next, pop …
    pub intake_calls: Vec<String>,
    /// field and parameter names of what lives for one attempt: nonce, session, timestamp …
    pub volatile_names: Vec<String>,
    /// calls that wait between attempts: sleep, backoff, delay …
    pub pause_calls: Vec<String>,
    /// columns that say who holds a lease: locked_by, lease_token …
    pub lease_token_columns: Vec<String>,
    /// fields of a request that exchanges credentials for a token: grant_type
    pub token_grants: Vec<String>,
    /// words in names of functions, types and keys that are locks
    pub lock_names: Vec<String>,
    /// words in names of functions that give a lock up
    pub unlock_verbs: Vec<String>,
    /// all of these are in a script that asks who holds a key before it changes it
    pub comparing_script_parts: Vec<String>,
    /// participles that no rule of spelling gives, behind their verbs
    pub participles: Vec<String>,
    /// first words of functions that are called for whether they fail
    pub guarding_verbs: Vec<String>,
    /// words in the names of what asks whether something was done before
    pub repeat_questions: Vec<String>,
    /// words in the names of what says whether something is there
    pub presence_questions: Vec<String>,
    /// words in the names of what takes something for one run alone
    pub claim_verbs: Vec<String>,
    /// words in the names of what looks up whether a task came before
    pub inbox_questions: Vec<String>,
    /// first words of what notes that a task has come
    pub remembering_verbs: Vec<String>,
    /// names of what tells one task from another
    pub task_id_names: Vec<String>,
    /// columns of rows that somebody takes until their work is done
    pub attempt_columns: Vec<String>,
    /// what commands that say how long a key lives have in their names
    pub lifetime_commands: Vec<String>,
    /// how the names of columns end that hold a time or a day: `paid_at`, `assessed_on`
    pub time_endings: Vec<String>,
    /// words in the names of functions that sign what is sent along
    pub signing_words: Vec<String>,
    /// functions and types that start a batch of commands
    pub batch_starts: Vec<String>,
    /// columns that say until when a lease holds: lease_until, locked_until …
    pub lease_until_columns: Vec<String>,
    /// those that say since when
    pub lease_since_columns: Vec<String>,
    /// words in the names of columns that say until when something holds
    pub deadline_words: Vec<String>,
    /// words in the names of columns of a lock that say from when on it is held
    pub since_words: Vec<String>,
    /// words of calls after which something is gone
    pub destroying_words: Vec<String>,
    /// words of functions that say that work has come to its end
    pub completing_words: Vec<String>,
    /// words in the names of fields that hold credentials: a token beside them is one, too
    pub credential_names: Vec<String>,
    /// what a client calls the settings of one call that its caller may leave out
    pub option_names: Vec<String>,
    /// types whose values have a fixed length: characters as they are shown, bytes of a digest
    pub type_widths: Vec<(String, u32)>,
    /// types whose functions start the statements of a query builder: Entity
    pub entity_names: Vec<String>,
    /// types whose values are rows that store themselves: ActiveModel
    pub model_names: Vec<String>,
    /// further verbs that act where the receiver is a client by its name: create, initiate …
    pub client_verbs: Vec<String>,
    /// verbs by which a call that cannot be followed makes a result durable: save, record …
    pub result_verbs: Vec<String>,
    /// first words of functions that look something up: find, get …
    pub lookup_verbs: Vec<String>,
    /// first words of functions that ask rather than act, though they post: search, refresh …
    pub query_verbs: Vec<String>,
    /// states that say of a row that nobody took it, and of an answer that it is still to come: pending
    pub waiting_states: Vec<String>,
    /// parameters of procedures whose future is dropped when the caller goes away
    pub procedure_types: Vec<String>,
    /// states of what is asked for again, as if nothing was sent yet
    pub due_states: Vec<String>,
    /// crates and modules that only tell of what happened: logging, metrics …
    pub telling_modules: Vec<String>,
    /// methods by which a type is put into a metric
    pub label_methods: Vec<String>,
    /// last words of the names of types that only count and tell
    pub telling_types: Vec<String>,
    /// words in the names of macros that only count and tell
    pub telling_macros: Vec<String>,
    /// traits behind which an application keeps its own state, whatever carries it there: store, repository …
    pub store_traits: Vec<String>,
    /// last parts of addresses to which questions are posted: search, query, token …
    pub query_paths: Vec<String>,
    /// last parts of addresses at which money moves or somebody is written to
    pub acting_paths: Vec<String>,
    /// what an answer repeats of the request by what it means: amount, currency, destination …
    pub echoed_fields: Vec<String>,
    /// how the names of remote procedures begin that only read, where they are written as one word
    pub reading_prefixes: Vec<String>,
    /// first words of functions that say only that something is done: run, perform …
    pub carrier_verbs: Vec<String>,
    /// endings of functions that say nothing of what is done: `_once`, `_inner` …
    pub carrier_ends: Vec<String>,
    /// last words of functions that say that it is to ask: query, lookup …
    pub question_nouns: Vec<String>,
    /// last words of functions that are named after how something stands: status, balance
    pub state_nouns: Vec<String>,
    /// words in the names of functions that put together a request which asks: access_token, retrieve …
    pub question_names: Vec<String>,
    /// methods that start a request which asks rather than acts: get, head, options
    pub reading_calls: Vec<String>,
    /// words in the names of what moves money: charge, payout …
    pub payment_words: Vec<String>,
    /// words in the names of what tells one intent from another: id, number …
    pub identity_names: Vec<String>,
    /// types of other crates that can be displayed, by canonical path
    pub displayed_types: Vec<String>,
    /// words in the names of timeouts, retry counts and retention times: timeout, retries, ttl …
    pub limit_names: Vec<String>,
    /// methods that turn a refused HTTP answer into an error: error_for_status …
    pub status_checks: Vec<String>,
    /// methods by which a request is given its body
    pub body_calls: Vec<String>,
    /// methods by which a client is given headers for everything that it sends
    pub client_header_calls: Vec<String>,
    /// parts of the names of fields and columns that say whose identifier they hold: not the application's own
    pub issuer_names: Vec<String>,
    /// derives of types that stand for a row of a table
    pub row_derives: Vec<String>,
    /// names that are labels and no keys, though random: message_id, request_id, trace_id …
    pub label_names: Vec<String>,
    /// words in the names of fields by which the receiver of a request knows it again: transaction_id, invoice_number …
    pub reference_names: Vec<String>,
    /// hashers that are others after an update, or in another process
    pub passing_hashers: Vec<String>,
    /// the headers of a request, or what else is told beside its content
    pub header_types: Vec<String>,
    /// words in the names of types that are put together to be sent: request, payload …
    pub request_words: Vec<String>,
    /// methods that undo an effect, and fields or types whose methods do
    pub compensation_verbs: Vec<String>,
    /// further verbs that undo what a call of the same client gave, which is handed back
    pub retracting_verbs: Vec<String>,
    /// verbs of what can be taken back so
    pub retractable_verbs: Vec<String>,
    /// functions that free what was claimed for an effect, so that it is done anew
    pub release_verbs: Vec<String>,
    /// parts of the names of tables that hold what was processed before
    pub inbox_tables: Vec<String>,
    /// parts of the names of tables that hold what is to be sent
    pub outbox_tables: Vec<String>,
    /// functions of a database by which a message of a queue in it is acknowledged
    pub acknowledging_functions: Vec<String>,
    /// parts of the names of tables and functions for what is not tried any more
    pub dead_letter_names: Vec<String>,
    /// parts of the names of tables whose rows are work
    pub work_tables: Vec<String>,
    /// parts of the names of tables and functions of what is good for one time only
    pub single_use_names: Vec<String>,
    /// functions that clear up behind some work
    pub clearing_verbs: Vec<String>,
    /// functions that let a lease hold for longer
    pub renewal_verbs: Vec<String>,
    /// those that do so under a lease, and elsewhere much else
    pub extension_verbs: Vec<String>,
    /// functions that put a row in
    pub insertion_verbs: Vec<String>,
    /// types that run each statement by itself, in no transaction
    pub pool_types: Vec<String>,
    /// columns that a second run of a change by a difference puts wrong
    pub quantity_columns: Vec<String>,
    /// columns that many intents have in common: a lookup by them may find another one's row
    pub amount_columns: Vec<String>,
    /// columns that say nothing of an intent's identity
    pub weak_columns: Vec<String>,
    /// columns and fields that hold the provider's own identifier
    pub receipt_columns: Vec<String>,
    /// parts of the names of request handlers whose caller sends a request again until it is accepted
    pub webhook_names: Vec<String>,
    /// parts of names of those at which a browser comes back: auth_callback …
    pub sign_in_names: Vec<String>,
    /// verbs of functions that keep the list of where to deliver to
    pub listing_verbs: Vec<String>,
    /// words in names of what keeps a copy of what somebody else has, made again when it is lost
    pub copy_names: Vec<String>,
    /// functions that take away what is stored
    pub removal_verbs: Vec<String>,
    /// parameters by which a request says how many it wants at most
    pub page_size_names: Vec<String>,
    /// names of what a request holds, as it was sent
    pub content_names: Vec<String>,
    /// columns of a row that keeps what was delivered, whole
    pub kept_content_columns: Vec<String>,
    /// kinds of systems whose effects nobody takes back
    pub final_systems: Vec<String>,
    /// kinds of systems that are sent messages
    pub message_systems: Vec<String>,
    /// verbs of functions that tell others what has happened
    pub news_verbs: Vec<String>,
    /// nouns of them
    pub news_nouns: Vec<String>,
    /// nouns of those that write to somebody
    pub mail_nouns: Vec<String>,
    /// verbs by which a runner has a task done that somebody else has written
    pub running_verbs: Vec<String>,
    /// columns by which a row says that it was dealt with
    pub marker_columns: Vec<String>,
    /// ends of them, behind what is dealt with
    pub marker_ends: Vec<String>,
    /// names of collections in memory that hold what was processed before
    pub dedup_names: Vec<String>,
    /// methods that put something into a collection or text: insert, push …
    pub collecting_calls: Vec<String>,
    /// methods by which an error becomes the answer of a request handler: into_response …
    pub response_calls: Vec<String>,
    /// types of a parameter by which a request handler is lent its answer, to be filled in
    pub response_types: Vec<String>,
    /// calls that give a guard, while which nobody else reaches what is behind it: lock, write …
    pub lock_calls: Vec<String>,
    /// parts of a request that say what is asked for: method, uri, operation …
    pub operation_names: Vec<String>,
    /// types of a parameter by which a function stands in front of all routes
    pub middleware_types: Vec<String>,
    /// what a layer wraps and hands requests on to
    pub service_types: Vec<String>,
    /// calls by which a middleware or layer does so
    pub forwarding_calls: Vec<String>,
    /// calls that begin a transaction which no other one that writes stands beside
    pub locking_begins: Vec<String>,
    /// what statements of a transaction are run with, where that is handed to each of them
    pub session_types: Vec<String>,
    /// connections to stores whose transactions change nothing once what they have read is out of date
    pub serial_stores: Vec<String>,
    /// bodies that a request handler takes as they came
    pub raw_body_types: Vec<String>,
    /// types of a parameter that holds parts of the route
    pub route_types: Vec<String>,
    /// what a runner hands over of several tasks at once, each of which can be answered by itself
    pub batch_types: Vec<String>,
    /// the tasks in it
    pub batch_items: Vec<String>,
    /// the head of a request, whatever route it is for
    pub request_types: Vec<String>,
    /// traits by which web frameworks make a parameter of a handler out of a request
    pub extractor_traits: Vec<String>,
    /// their methods that do so
    pub extractor_methods: Vec<String>,
    /// methods of a client that wait until its queue is empty, or go on with it
    pub queue_waits: Vec<String>,
    /// types of what stays connected to whoever has called
    pub connection_types: Vec<String>,
    /// collections that live in the memory of the process and are no part of what is stored
    pub memory_types: Vec<String>,
    /// locks, which are no part of it either
    pub lock_types: Vec<String>,
    /// cells of the process that are filled once
    pub cell_types: Vec<String>,
    /// methods by which they are
    pub filling_calls: Vec<String>,
    /// methods by which a collection takes in a key
    pub remembering_calls: Vec<String>,
    /// methods by which it is asked for one
    pub recalling_calls: Vec<String>,
    /// parts of the names of what says how far something was taken: cursor, watermark …
    pub cursor_names: Vec<String>,
    /// what comes one after the other, of which the last one is such: index, sequence …
    pub position_names: Vec<String>,
    /// parts of the names of calls that store a value under its name
    pub storing_verbs: Vec<String>,
    /// names of transactions
    pub transaction_names: Vec<String>,
    /// methods that walk through a list or give an end of it
    pub walking_calls: Vec<String>,
    /// methods that take everything out of a list
    pub emptying_calls: Vec<String>,
    /// statuses of HTTP that may mean something of their own at a provider, each a number and the name of its constant
    pub statuses: Vec<String>,
    /// requests that are put together in one place and may be sent in another
    pub sent_types: Vec<String>,
    /// what sends them
    pub sending_calls: Vec<String>,
    /// calls and types that give results in the order in which they are done: buffer_unordered, JoinSet …
    pub unordered_calls: Vec<String>,
}

/// Reads the lists.
pub(super) fn words(mut fields: Fields<'_>) -> Words {
    let lower = |texts: Vec<String>| texts.into_iter().map(|text| text.to_lowercase()).collect();
    let words = Words {
        key_headers: lower(fields.texts("key_headers")),
        path_headers: fields.texts("path_headers").iter().filter_map(|text| path_header(text)).collect(),
        key_names: fields.texts("key_names"),
        answer_columns: fields.texts("answer_columns"),
        request_key_columns: fields.texts("request_key_columns"),
        secret_words: fields.texts("secret_words"),
        asker_key_names: fields.texts("asker_key_names"),
        verbs: fields.texts("verbs"),
        foreign_verbs: fields.texts("foreign_verbs"),
        receipt_calls: fields.texts("receipt_calls"),
        transaction_numbers: fields.texts("transaction_numbers"),
        signed_names: fields.texts("signed_names"),
        receivers: fields.texts("receivers"),
        interfaces: fields.texts("interfaces"),
        keeping_prefixes: fields.texts("keeping_prefixes"),
        coarse_names: fields.texts("coarse_names"),
        day_calls: fields.texts("day_calls"),
        day_types: fields.texts("day_types"),
        happening_names: fields.texts("happening_names"),
        attempt_names: fields.texts("attempt_names"),
        row_count_calls: fields.texts("row_count_calls"),
        delivery_names: fields.texts("delivery_names"),
        place_names: fields.texts("place_names"),
        message_names: fields.texts("message_names"),
        delivered_columns: fields.texts("delivered_columns"),
        digest_columns: fields.texts("digest_columns"),
        sensitive_names: fields.texts("sensitive_names"),
        intake_calls: fields.texts("intake_calls"),
        volatile_names: fields.texts("volatile_names"),
        row_derives: fields.texts("row_derives"),
        status_checks: fields.texts("status_checks"),
        body_calls: fields.texts("body_calls"),
        client_header_calls: fields.texts("client_header_calls"),
        reading_nouns: fields.texts("reading_nouns"),
        local_hosts: fields.texts("local_hosts"),
        plain_collections: fields.texts("plain_collections"),
        passing_kinds: fields.texts("passing_kinds"),
        way_errors: fields.texts("way_errors"),
        status_fields: fields.texts("status_fields"),
        open_errors: fields.texts("open_errors"),
        lost_answers: fields.texts("lost_answers"),
        outcome_names: fields.texts("outcome_names"),
        good_flags: fields.texts("good_flags"),
        ordering_verbs: fields.texts("ordering_verbs"),
        keyed_stores: fields.texts("keyed_stores"),
        taken_columns: fields.texts("taken_columns"),
        sort_names: fields.texts("sort_names"),
        requeueing_names: fields.texts("requeueing_names"),
        redelivering_names: fields.texts("redelivering_names"),
        waiting_calls: fields.texts("waiting_calls"),
        ending_kinds: fields.texts("ending_kinds"),
        reply_words: fields.texts("reply_words"),
        transaction_types: fields.texts("transaction_types"),
        stating_words: fields.texts("stating_words"),
        task_handles: fields.texts("task_handles"),
        batch_paths: fields.texts("batch_paths"),
        issuer_names: fields.texts("issuer_names"),
        pause_calls: fields.texts("pause_calls"),
        lease_token_columns: fields.texts("lease_token_columns"),
        token_grants: fields.texts("token_grants"),
        lock_names: fields.texts("lock_names"),
        unlock_verbs: fields.texts("unlock_verbs"),
        comparing_script_parts: fields.texts("comparing_script_parts"),
        participles: fields.texts("participles"),
        guarding_verbs: fields.texts("guarding_verbs"),
        repeat_questions: fields.texts("repeat_questions"),
        presence_questions: fields.texts("presence_questions"),
        claim_verbs: fields.texts("claim_verbs"),
        inbox_questions: fields.texts("inbox_questions"),
        remembering_verbs: fields.texts("remembering_verbs"),
        task_id_names: fields.texts("task_id_names"),
        attempt_columns: fields.texts("attempt_columns"),
        lifetime_commands: fields.texts("lifetime_commands"),
        time_endings: fields.texts("time_endings"),
        signing_words: fields.texts("signing_words"),
        batch_starts: fields.texts("batch_starts"),
        lease_until_columns: fields.texts("lease_until_columns"),
        lease_since_columns: fields.texts("lease_since_columns"),
        deadline_words: fields.texts("deadline_words"),
        since_words: fields.texts("since_words"),
        destroying_words: fields.texts("destroying_words"),
        completing_words: fields.texts("completing_words"),
        credential_names: fields.texts("credential_names"),
        option_names: fields.texts("option_names"),
        type_widths: fields.texts("type_widths").iter().filter_map(|text| type_width(text)).collect(),
        entity_names: fields.texts("entity_names"),
        model_names: fields.texts("model_names"),
        client_verbs: fields.texts("client_verbs"),
        result_verbs: fields.texts("result_verbs"),
        lookup_verbs: fields.texts("lookup_verbs"),
        query_verbs: fields.texts("query_verbs"),
        waiting_states: fields.texts("waiting_states"),
        procedure_types: fields.texts("procedure_types"),
        due_states: fields.texts("due_states"),
        telling_modules: fields.texts("telling_modules"),
        label_methods: fields.texts("label_methods"),
        telling_types: fields.texts("telling_types"),
        telling_macros: fields.texts("telling_macros"),
        store_traits: fields.texts("store_traits"),
        query_paths: fields.texts("query_paths"),
        acting_paths: fields.texts("acting_paths"),
        echoed_fields: fields.texts("echoed_fields"),
        reading_prefixes: fields.texts("reading_prefixes"),
        carrier_verbs: fields.texts("carrier_verbs"),
        carrier_ends: fields.texts("carrier_ends"),
        question_nouns: fields.texts("question_nouns"),
        state_nouns: fields.texts("state_nouns"),
        question_names: fields.texts("question_names"),
        reading_calls: fields.texts("reading_calls"),
        payment_words: fields.texts("payment_words"),
        identity_names: fields.texts("identity_names"),
        displayed_types: fields.texts("displayed_types"),
        limit_names: fields.texts("limit_names"),
        label_names: fields.texts("label_names"),
        reference_names: fields.texts("reference_names"),
        passing_hashers: fields.texts("passing_hashers"),
        header_types: fields.texts("header_types"),
        request_words: fields.texts("request_words"),
        compensation_verbs: fields.texts("compensation_verbs"),
        retracting_verbs: fields.texts("retracting_verbs"),
        retractable_verbs: fields.texts("retractable_verbs"),
        release_verbs: fields.texts("release_verbs"),
        inbox_tables: fields.texts("inbox_tables"),
        outbox_tables: fields.texts("outbox_tables"),
        work_tables: fields.texts("work_tables"),
        single_use_names: fields.texts("single_use_names"),
        clearing_verbs: fields.texts("clearing_verbs"),
        renewal_verbs: fields.texts("renewal_verbs"),
        extension_verbs: fields.texts("extension_verbs"),
        insertion_verbs: fields.texts("insertion_verbs"),
        pool_types: fields.texts("pool_types"),
        quantity_columns: fields.texts("quantity_columns"),
        amount_columns: fields.texts("amount_columns"),
        weak_columns: fields.texts("weak_columns"),
        receipt_columns: fields.texts("receipt_columns"),
        webhook_names: fields.texts("webhook_names"),
        sign_in_names: fields.texts("sign_in_names"),
        listing_verbs: fields.texts("listing_verbs"),
        copy_names: fields.texts("copy_names"),
        removal_verbs: fields.texts("removal_verbs"),
        page_size_names: fields.texts("page_size_names"),
        content_names: fields.texts("content_names"),
        kept_content_columns: fields.texts("kept_content_columns"),
        final_systems: fields.texts("final_systems"),
        message_systems: fields.texts("message_systems"),
        news_verbs: fields.texts("news_verbs"),
        news_nouns: fields.texts("news_nouns"),
        mail_nouns: fields.texts("mail_nouns"),
        running_verbs: fields.texts("running_verbs"),
        marker_columns: fields.texts("marker_columns"),
        marker_ends: fields.texts("marker_ends"),
        dedup_names: fields.texts("dedup_names"),
        collecting_calls: fields.texts("collecting_calls"),
        response_calls: fields.texts("response_calls"),
        response_types: fields.texts("response_types"),
        lock_calls: fields.texts("lock_calls"),
        operation_names: fields.texts("operation_names"),
        middleware_types: fields.texts("middleware_types"),
        service_types: fields.texts("service_types"),
        forwarding_calls: fields.texts("forwarding_calls"),
        locking_begins: fields.texts("locking_begins"),
        session_types: fields.texts("session_types"),
        serial_stores: fields.texts("serial_stores"),
        raw_body_types: fields.texts("raw_body_types"),
        route_types: fields.texts("route_types"),
        batch_types: fields.texts("batch_types"),
        batch_items: fields.texts("batch_items"),
        request_types: fields.texts("request_types"),
        extractor_traits: fields.texts("extractor_traits"),
        extractor_methods: fields.texts("extractor_methods"),
        queue_waits: fields.texts("queue_waits"),
        connection_types: fields.texts("connection_types"),
        memory_types: fields.texts("memory_types"),
        lock_types: fields.texts("lock_types"),
        cell_types: fields.texts("cell_types"),
        filling_calls: fields.texts("filling_calls"),
        cursor_names: fields.texts("cursor_names"),
        position_names: fields.texts("position_names"),
        acknowledging_functions: fields.texts("acknowledging_functions"),
        dead_letter_names: fields.texts("dead_letter_names"),
        storing_verbs: fields.texts("storing_verbs"),
        transaction_names: fields.texts("transaction_names"),
        walking_calls: fields.texts("walking_calls"),
        emptying_calls: fields.texts("emptying_calls"),
        remembering_calls: fields.texts("remembering_calls"),
        recalling_calls: fields.texts("recalling_calls"),
        statuses: fields.texts("statuses"),
        sent_types: fields.texts("sent_types"),
        sending_calls: fields.texts("sending_calls"),
        unordered_calls: fields.texts("unordered_calls"),
    };
    fields.finish();
    words
}

/// `_stream_load label`.
fn path_header(text: &str) -> Option<(String, String)> {
    let (path, header) = text.split_once(' ')?;
    Some((path.to_owned(), header.to_owned()))
}

/// `uuid::Uuid 36`.
fn type_width(text: &str) -> Option<(String, u32)> {
    let (path, width) = text.split_once(' ')?;
    Some((path.to_owned(), width.parse().ok()?))
}
