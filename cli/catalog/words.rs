//! The word lists, as `[words]` writes them.
//!
//! In: the table of the built-in words file. Out: [`Words`].

use crate::toml_text::Fields;

/// Declares [`Words`] and how it is read: every list is named once, and its name in the file is that of its field.
macro_rules! word_lists {
    ($($(#[$meaning:meta])* $list:ident,)*) => {
        /// Names that mean something where following ends.
        #[derive(Clone, Debug, Default)]
        pub struct Words {
            /// header names that carry a key, lower case
            pub key_headers: Vec<String>,
            /// parts of addresses, and the headers that carry a key there
            pub path_headers: Vec<(String, String)>,
            /// types whose values have a fixed length: characters as they are shown, bytes of a digest
            pub type_widths: Vec<(String, u32)>,
            $($(#[$meaning])* pub $list: Vec<String>,)*
        }

        /// Reads the lists.
        pub(super) fn words(mut fields: Fields<'_>) -> Words {
            let words = Words {
                key_headers: fields.texts("key_headers").iter().map(|text| text.to_lowercase()).collect(),
                path_headers: fields.texts("path_headers").iter().filter_map(|text| path_header(text)).collect(),
                type_widths: fields.texts("type_widths").iter().filter_map(|text| type_width(text)).collect(),
                $($list: fields.texts(stringify!($list)),)*
            };
            fields.finish();
            words
        }
    };
}

word_lists! {
    /// field, method and column names that carry a key, snake case
    key_names,
    /// columns that hold the key of a request, beside those
    request_key_columns,
    /// last words in the names of what a service signs its digests with
    secret_words,
    /// names of a key by which whoever asks tells a repeat of a request, of inputs and columns
    asker_key_names,
    /// parts of the names of columns that hold what a request was answered with
    answer_columns,
    /// verbs of a presumed dispatch
    verbs,
    /// those that a client of a crate which no row speaks of is taken at its word for
    foreign_verbs,
    /// methods of a connection that say how many rows the last statement has changed
    row_count_calls,
    /// methods of the answer to a transaction that was sent to a chain
    receipt_calls,
    /// what numbers the transactions of a sender
    transaction_numbers,
    /// words in the names of calls that send what was signed before
    signed_names,
    /// suffixes of a presumed receiver
    receivers,
    /// suffixes of traits of the workspace behind which something outside acts
    interfaces,
    /// method-name prefixes that keep their receiver's origins: `to_`, `as_`, `into_`
    keeping_prefixes,
    /// field and parameter names that identify a tenant, user, amount or date only
    coarse_names,
    /// calls that leave of a time its day
    day_calls,
    /// types of a day, by canonical path
    day_types,
    /// words in the names of the time at which something was asked for or came about
    happening_names,
    /// what remote procedures are called that only read, where no verb says so: `eth_chainId` …
    reading_nouns,
    /// hosts by which a machine calls itself
    local_hosts,
    /// collections that are changed through an exclusive borrow alone
    plain_collections,
    /// kinds of failures that are tried again: `Temporary`
    passing_kinds,
    /// words in names of errors of which a lost answer is one: timeout, transport …
    way_errors,
    /// fields of an error by which an answer says how it came out
    status_fields,
    /// words in names of errors that may hold anything: other, internal …
    open_errors,
    /// whole names of errors that say that no answer came: timeout …
    lost_answers,
    /// last words of the names of enums of answers: outcome, verdict …
    outcome_names,
    /// words in the names of flags by which an answer says that all went well
    good_flags,
    /// verbs by which something is ordered of somebody else, where a key goes along
    ordering_verbs,
    /// words in the names of what keeps things under keys
    keyed_stores,
    /// columns that count what was taken: to take it back makes them less
    taken_columns,
    /// words in the names of enums that tell sorts of things apart rather than outcomes
    sort_names,
    /// fields and variants by which a message is given back to its queue, to come again
    requeueing_names,
    /// names of request handlers by which somebody delivers who comes back if that is refused
    redelivering_names,
    /// calls that wait for the process itself rather than for an answer
    waiting_calls,
    /// words in the name of an error beside those that say that it is not tried again after all
    ending_kinds,
    /// last words of functions that only answer what somebody asked
    reply_words,
    /// types of an open transaction, by canonical path
    transaction_types,
    /// words of functions that say how things stand, or put a content in its place: what is said twice is the same
    stating_words,
    /// types that a task is waited for by: JoinHandle …
    task_handles,
    /// last parts of addresses that say only that several are asked for at once: batch …
    batch_paths,
    /// field and parameter names of an attempt: attempt, retry_count …
    attempt_names,
    /// what belongs to one delivery of a message
    delivery_names,
    /// what belongs to one message: whoever sends a command again sends another one
    message_names,
    /// columns that name what somebody delivers, as often as it is not answered
    delivered_columns,
    /// where a message stands: topic, partition …
    place_names,
    /// columns that say what was asked for
    digest_columns,
    /// field names that hold personal or secret data
    sensitive_names,
    /// loop variables and calls that show a loop takes new work rather than repeating: recv, next, pop …
    intake_calls,
    /// field and parameter names of what lives for one attempt: nonce, session, timestamp …
    volatile_names,
    /// calls that wait between attempts: sleep, backoff, delay …
    pause_calls,
    /// columns that say who holds a lease: locked_by, lease_token …
    lease_token_columns,
    /// fields of a request that exchanges credentials for a token: grant_type
    token_grants,
    /// words in names of functions, types and keys that are locks
    lock_names,
    /// words in names of functions that give a lock up
    unlock_verbs,
    /// all of these are in a script that asks who holds a key before it changes it
    comparing_script_parts,
    /// participles that no rule of spelling gives, behind their verbs
    participles,
    /// first words of functions that are called for whether they fail
    guarding_verbs,
    /// words in the names of what asks whether something was done before
    repeat_questions,
    /// words in the names of what says whether something is there
    presence_questions,
    /// words in the names of what takes something for one run alone
    claim_verbs,
    /// words in the names of what looks up whether a task came before
    inbox_questions,
    /// first words of what notes that a task has come
    remembering_verbs,
    /// names of what tells one task from another
    task_id_names,
    /// columns of rows that somebody takes until their work is done
    attempt_columns,
    /// what commands that say how long a key lives have in their names
    lifetime_commands,
    /// how the names of columns end that hold a time or a day: `paid_at`, `assessed_on`
    time_endings,
    /// words in the names of functions that sign what is sent along
    signing_words,
    /// functions and types that start a batch of commands
    batch_starts,
    /// columns that say until when a lease holds: lease_until, locked_until …
    lease_until_columns,
    /// those that say since when
    lease_since_columns,
    /// words in the names of columns that say until when something holds
    deadline_words,
    /// words in the names of columns of a lock that say from when on it is held
    since_words,
    /// words of calls after which something is gone
    destroying_words,
    /// words of functions that say that work has come to its end
    completing_words,
    /// words in the names of fields that hold credentials: a token beside them is one, too
    credential_names,
    /// what a client calls the settings of one call that its caller may leave out
    option_names,
    /// types whose functions start the statements of a query builder: Entity
    entity_names,
    /// types whose values are rows that store themselves: ActiveModel
    model_names,
    /// further verbs that act where the receiver is a client by its name: create, initiate …
    client_verbs,
    /// verbs by which a call that cannot be followed makes a result durable: save, record …
    result_verbs,
    /// first words of functions that look something up: find, get …
    lookup_verbs,
    /// first words of functions that ask rather than act, though they post: search, refresh …
    query_verbs,
    /// states that say of a row that nobody took it, and of an answer that it is still to come: pending
    waiting_states,
    /// parameters of procedures whose future is dropped when the caller goes away
    procedure_types,
    /// states of what is asked for again, as if nothing was sent yet
    due_states,
    /// crates and modules that only tell of what happened: logging, metrics …
    telling_modules,
    /// methods by which a type is put into a metric
    label_methods,
    /// last words of the names of types that only count and tell
    telling_types,
    /// words in the names of macros that only count and tell
    telling_macros,
    /// traits behind which an application keeps its own state, whatever carries it there: store, repository …
    store_traits,
    /// last parts of addresses to which questions are posted: search, query, token …
    query_paths,
    /// last parts of addresses at which money moves or somebody is written to
    acting_paths,
    /// what an answer repeats of the request by what it means: amount, currency, destination …
    echoed_fields,
    /// how the names of remote procedures begin that only read, where they are written as one word
    reading_prefixes,
    /// first words of functions that say only that something is done: run, perform …
    carrier_verbs,
    /// endings of functions that say nothing of what is done: `_once`, `_inner` …
    carrier_ends,
    /// last words of functions that say that it is to ask: query, lookup …
    question_nouns,
    /// last words of functions that are named after how something stands: status, balance
    state_nouns,
    /// words in the names of functions that put together a request which asks: access_token, retrieve …
    question_names,
    /// methods that start a request which asks rather than acts: get, head, options
    reading_calls,
    /// words in the names of what moves money: charge, payout …
    payment_words,
    /// words in the names of what tells one intent from another: id, number …
    identity_names,
    /// types of other crates that can be displayed, by canonical path
    displayed_types,
    /// words in the names of timeouts, retry counts and retention times: timeout, retries, ttl …
    limit_names,
    /// methods that turn a refused HTTP answer into an error: error_for_status …
    status_checks,
    /// methods by which a request is given its body
    body_calls,
    /// methods by which a client is given headers for everything that it sends
    client_header_calls,
    /// parts of the names of fields and columns that say whose identifier they hold: not the application's own
    issuer_names,
    /// derives of types that stand for a row of a table
    row_derives,
    /// names that are labels and no keys, though random: message_id, request_id, trace_id …
    label_names,
    /// words in the names of fields by which the receiver of a request knows it again: transaction_id, invoice_number …
    reference_names,
    /// hashers that are others after an update, or in another process
    passing_hashers,
    /// the headers of a request, or what else is told beside its content
    header_types,
    /// words in the names of types that are put together to be sent: request, payload …
    request_words,
    /// methods that undo an effect, and fields or types whose methods do
    compensation_verbs,
    /// further verbs that undo what a call of the same client gave, which is handed back
    retracting_verbs,
    /// verbs of what can be taken back so
    retractable_verbs,
    /// functions that free what was claimed for an effect, so that it is done anew
    release_verbs,
    /// parts of the names of tables that hold what was processed before
    inbox_tables,
    /// parts of the names of tables that hold what is to be sent
    outbox_tables,
    /// functions of a database by which a message of a queue in it is acknowledged
    acknowledging_functions,
    /// parts of the names of tables and functions for what is not tried any more
    dead_letter_names,
    /// parts of the names of tables whose rows are work
    work_tables,
    /// parts of the names of tables and functions of what is good for one time only
    single_use_names,
    /// functions that clear up behind some work
    clearing_verbs,
    /// functions that let a lease hold for longer
    renewal_verbs,
    /// those that do so under a lease, and elsewhere much else
    extension_verbs,
    /// functions that put a row in
    insertion_verbs,
    /// types that run each statement by itself, in no transaction
    pool_types,
    /// columns that a second run of a change by a difference puts wrong
    quantity_columns,
    /// columns that many intents have in common: a lookup by them may find another one's row
    amount_columns,
    /// columns that say nothing of an intent's identity
    weak_columns,
    /// columns and fields that hold the provider's own identifier
    receipt_columns,
    /// parts of the names of request handlers whose caller sends a request again until it is accepted
    webhook_names,
    /// parts of names of those at which a browser comes back: auth_callback …
    sign_in_names,
    /// verbs of functions that keep the list of where to deliver to
    listing_verbs,
    /// words in names of what keeps a copy of what somebody else has, made again when it is lost
    copy_names,
    /// functions that take away what is stored
    removal_verbs,
    /// parameters by which a request says how many it wants at most
    page_size_names,
    /// names of what a request holds, as it was sent
    content_names,
    /// columns of a row that keeps what was delivered, whole
    kept_content_columns,
    /// kinds of systems whose effects nobody takes back
    final_systems,
    /// kinds of systems that are sent messages
    message_systems,
    /// verbs of functions that tell others what has happened
    news_verbs,
    /// nouns of them
    news_nouns,
    /// nouns of those that write to somebody
    mail_nouns,
    /// verbs by which a runner has a task done that somebody else has written
    running_verbs,
    /// columns by which a row says that it was dealt with
    marker_columns,
    /// ends of them, behind what is dealt with
    marker_ends,
    /// names of collections in memory that hold what was processed before
    dedup_names,
    /// methods that put something into a collection or text: insert, push …
    collecting_calls,
    /// methods by which an error becomes the answer of a request handler: into_response …
    response_calls,
    /// types of a parameter by which a request handler is lent its answer, to be filled in
    response_types,
    /// calls that give a guard, while which nobody else reaches what is behind it: lock, write …
    lock_calls,
    /// parts of a request that say what is asked for: method, uri, operation …
    operation_names,
    /// types of a parameter by which a function stands in front of all routes
    middleware_types,
    /// what a layer wraps and hands requests on to
    service_types,
    /// calls by which a middleware or layer does so
    forwarding_calls,
    /// calls that begin a transaction which no other one that writes stands beside
    locking_begins,
    /// what statements of a transaction are run with, where that is handed to each of them
    session_types,
    /// connections to stores whose transactions change nothing once what they have read is out of date
    serial_stores,
    /// bodies that a request handler takes as they came
    raw_body_types,
    /// types of a parameter that holds parts of the route
    route_types,
    /// what a runner hands over of several tasks at once, each of which can be answered by itself
    batch_types,
    /// the tasks in it
    batch_items,
    /// the head of a request, whatever route it is for
    request_types,
    /// traits by which web frameworks make a parameter of a handler out of a request
    extractor_traits,
    /// their methods that do so
    extractor_methods,
    /// methods of a client that wait until its queue is empty, or go on with it
    queue_waits,
    /// types of what stays connected to whoever has called
    connection_types,
    /// collections that live in the memory of the process and are no part of what is stored
    memory_types,
    /// locks, which are no part of it either
    lock_types,
    /// cells of the process that are filled once
    cell_types,
    /// methods by which they are
    filling_calls,
    /// methods by which a collection takes in a key
    remembering_calls,
    /// methods by which it is asked for one
    recalling_calls,
    /// parts of the names of what says how far something was taken: cursor, watermark …
    cursor_names,
    /// what comes one after the other, of which the last one is such: index, sequence …
    position_names,
    /// parts of the names of calls that store a value under its name
    storing_verbs,
    /// names of transactions
    transaction_names,
    /// methods that walk through a list or give an end of it
    walking_calls,
    /// methods that take everything out of a list
    emptying_calls,
    /// statuses of HTTP that may mean something of their own at a provider, each a number and the name of its constant
    statuses,
    /// requests that are put together in one place and may be sent in another
    sent_types,
    /// what sends them
    sending_calls,
    /// calls and types that give results in the order in which they are done: buffer_unordered, JoinSet …
    unordered_calls,
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
