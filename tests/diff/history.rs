//! A history of changes, each with what it means.

use super::repository::{Edit, LIB, changes, service};

const REFUND: &str = r#"#[effect(
    intent_key = "invoice/{invoice}/refund",
    provider = "adyen",
    provider_window = at_least("7d"),
    terminal = [confirmed],
)]
pub async fn refund(http: &reqwest::Client, invoice: u64) -> Result<(), reqwest::Error> {
    http.post("https://checkout.adyen.com/refunds")
        .header("Idempotency-Key", format!("invoice/{invoice}/refund"))
        .send()
        .await?;
    Ok(())
}

// the end of the file
"#;

/// One commit: what it replaces where, and what that means.
struct Step {
    title: &'static str,
    edits: &'static [Edit],
    /// what happened to a handler; empty if nothing is to be said
    change: &'static str,
    /// fields, each with its direction
    fields: &'static [&'static str],
    /// what is to be reviewed again
    review: &'static [&'static str],
}

const fn step(
    title: &'static str,
    edits: &'static [Edit],
    change: &'static str,
    fields: &'static [&'static str],
) -> Step {
    Step { title, edits, change, fields, review: &[] }
}

const HISTORY: &[Step] = &[
    step(
        "the horizon grows beyond the window",
        &[Edit::Replace(LIB, "replay_horizon = \"3d\"", "replay_horizon = \"14d\"")],
        "weakened",
        &["claim weakened", "replay_horizon weakened"],
    ),
    step(
        "and shrinks again",
        &[Edit::Replace(LIB, "replay_horizon = \"14d\"", "replay_horizon = \"3d\"")],
        "strengthened",
        &["claim strengthened", "replay_horizon strengthened"],
    ),
    step(
        "the horizon grows within the window",
        &[Edit::Replace(LIB, "replay_horizon = \"3d\"", "replay_horizon = \"4d\"")],
        "weakened",
        &["replay_horizon weakened"],
    ),
    step(
        "no horizon is named",
        &[Edit::Replace(LIB, "    replay_horizon = \"4d\",\n", "")],
        "weakened",
        &["claim weakened", "replay_horizon weakened"],
    ),
    step(
        "one is named again",
        &[Edit::Replace(LIB, "    delivery = ", "    replay_horizon = \"3d\",\n    delivery = ")],
        "strengthened",
        &["claim strengthened", "replay_horizon strengthened"],
    ),
    step(
        "the window shrinks",
        &[Edit::Replace(LIB, "at_least(\"7d\")", "at_least(\"24h\")")],
        "weakened",
        &["claim weakened", "provider_window weakened"],
    ),
    step(
        "the window has the same bound in another form",
        &[Edit::Replace(LIB, "at_least(\"24h\")", "\"24h\"")],
        "changed",
        &["provider_window changed"],
    ),
    step(
        "the window is unpublished",
        &[Edit::Replace(LIB, "provider_window = \"24h\"", "provider_window = unpublished")],
        "weakened",
        &["claim weakened", "provider_window weakened"],
    ),
    step(
        "the window is back",
        &[Edit::Replace(LIB, "provider_window = unpublished", "provider_window = at_least(\"7d\")")],
        "strengthened",
        &["claim strengthened", "provider_window strengthened"],
    ),
    step(
        "the lookup is dropped",
        &[Edit::Replace(LIB, "    reconcile = unchecked(\"find_charge\"),\n", "")],
        "weakened",
        &["reconcile weakened"],
    ),
    step(
        "a reason is given why there is none",
        &[Edit::Replace(LIB, "    compensate = ", "    reconcile = none(\"it has no search\"),\n    compensate = ")],
        "changed",
        &["reconcile changed"],
    ),
    step(
        "a lookup is named",
        &[Edit::Replace(LIB, "none(\"it has no search\")", "unchecked(\"find_charge\")")],
        "strengthened",
        &["reconcile strengthened"],
    ),
    step(
        "another lookup is named",
        &[Edit::Replace(LIB, "unchecked(\"find_charge\")", "unchecked(\"find_payment\")")],
        "changed",
        &["reconcile changed"],
    ),
    step(
        "nobody decides any more",
        &[Edit::Replace(LIB, "    operator = \"runbooks/charge.md\",\n", "")],
        "weakened",
        &["operator weakened"],
    ),
    step(
        "somebody decides",
        &[Edit::Replace(LIB, "    effect = ", "    operator = \"the payments team\",\n    effect = ")],
        "strengthened",
        &["operator strengthened"],
    ),
    step(
        "somebody else decides",
        &[Edit::Replace(LIB, "the payments team", "runbooks/charge.md")],
        "changed",
        &["operator changed"],
    ),
    step(
        "unknown outcomes end as reconciled",
        &[Edit::Replace(LIB, "[confirmed, rejected]", "[confirmed, rejected, reconciled]")],
        "strengthened",
        &["terminal strengthened"],
    ),
    step(
        "refusals are no end any more",
        &[Edit::Replace(LIB, "[confirmed, rejected, reconciled]", "[confirmed, reconciled]")],
        "weakened",
        &["terminal weakened"],
    ),
    step(
        "unknown is declared an end",
        &[Edit::Replace(LIB, "[confirmed, reconciled]", "[confirmed, reconciled, unknown]")],
        "weakened",
        &["terminal weakened"],
    ),
    step(
        "it is none again",
        &[Edit::Replace(LIB, "[confirmed, reconciled, unknown]", "[reconciled, confirmed]")],
        "strengthened",
        &["terminal strengthened"],
    ),
    step(
        "another order of states says the same",
        &[Edit::Replace(LIB, "[reconciled, confirmed]", "[confirmed, reconciled]")],
        "",
        &[],
    ),
    step(
        "the application gives a state a word",
        &[Edit::Replace(LIB, "[confirmed, reconciled]", "[confirmed = \"settled\", reconciled]")],
        "changed",
        &["terminal changed"],
    ),
    step(
        "tasks can be lost",
        &[Edit::Replace(LIB, "at_least_once", "at_most_once")],
        "weakened",
        &["run_again strengthened", "delivery weakened"],
    ),
    step(
        "tasks come once within a transaction, and can run again outside of it",
        &[Edit::Replace(LIB, "at_most_once", "exactly_once_within(\"postgres: jobs\")")],
        "weakened",
        &["run_again weakened", "delivery strengthened"],
    ),
    step(
        "tasks can come again",
        &[Edit::Replace(LIB, "exactly_once_within(\"postgres: jobs\")", "at_least_once")],
        "weakened",
        &["delivery weakened"],
    ),
    step(
        "a fence is declared",
        &[Edit::Replace(LIB, "    effect = ", "    fence = lease,\n    effect = ")],
        "strengthened",
        &["commit_twice strengthened", "fence strengthened"],
    ),
    step(
        "the fence is gone",
        &[Edit::Replace(LIB, "    fence = lease,\n", "")],
        "weakened",
        &["commit_twice weakened", "fence weakened"],
    ),
    step(
        "the boundary is gone",
        &[Edit::Replace(LIB, "    boundary = \"postgres: ledger\",\n", "")],
        "weakened",
        &["boundary weakened"],
    ),
    step(
        "the boundary is named",
        &[Edit::Replace(LIB, "    record = ", "    boundary = \"postgres: ledger\",\n    record = ")],
        "strengthened",
        &["boundary strengthened"],
    ),
    step(
        "evidence is kept for less",
        &[Edit::Replace(LIB, "evidence_retention = \"400d\"", "evidence_retention = \"30d\"")],
        "weakened",
        &["evidence_retention weakened"],
    ),
    step(
        "the code sends another key at each attempt",
        &[Edit::Replace(LIB, "format!(\"invoice/{invoice}/charge\")", "uuid::Uuid::new_v4().to_string()")],
        "weakened",
        &["claim weakened", "key weakened"],
    ),
    step(
        "the code sends the intent key again",
        &[Edit::Replace(LIB, "uuid::Uuid::new_v4().to_string()", "format!(\"invoice/{invoice}/charge\")")],
        "strengthened",
        &["claim strengthened", "key strengthened"],
    ),
    step(
        "the mechanism is only a lock",
        &[Edit::Replace(LIB, "    effect = ", "    mechanism = lock,\n    effect = ")],
        "weakened",
        &["claim weakened", "mechanism weakened"],
    ),
    step(
        "it is a key again",
        &[Edit::Replace(LIB, "    mechanism = lock,\n", "")],
        "strengthened",
        &["claim strengthened", "mechanism strengthened"],
    ),
    step(
        "the function has another name",
        &[Edit::Replace(LIB, "fn charge(", "fn charge_invoice(")],
        "changed",
        &["handler changed"],
    ),
    step(
        "the function moves to another file",
        &[Edit::Move(LIB, "src/billing.rs"), Edit::Write(LIB, "pub mod billing;\n")],
        "changed",
        &["handler changed"],
    ),
    step(
        "the body is written otherwise",
        &[Edit::Replace("src/billing.rs", "    Ok(())", "    // done\n    Ok(())")],
        "",
        &[],
    ),
    Step {
        title: "the intent is another",
        edits: &[
            Edit::Replace(
                "src/billing.rs",
                "intent_key = \"invoice/{invoice}/charge\"",
                "intent_key = \"bill/{invoice}\"",
            ),
            Edit::Replace("src/billing.rs", "format!(\"invoice/{invoice}/charge\")", "format!(\"bill/{invoice}\")"),
        ],
        change: "changed",
        fields: &["intent_key changed"],
        review: &["intents under way, whose key changes with the release"],
    },
    Step {
        title: "a timeout is another",
        edits: &[Edit::Replace("src/billing.rs", "from_secs(10)", "from_secs(2)")],
        change: "changed",
        fields: &[],
        review: &["timeout"],
    },
    Step {
        title: "the client is another version",
        edits: &[Edit::Replace("Cargo.lock", "0.12.3", "0.12.4")],
        change: "changed",
        fields: &[],
        review: &["package reqwest"],
    },
    Step {
        title: "the catalog says something else of the provider",
        edits: &[Edit::Replace("effects.toml", "key_max_len = 64", "key_max_len = 32")],
        change: "changed",
        fields: &[],
        review: &["provider adyen: key_max_len"],
    },
    step(
        "a default gives a fact that the attribute gave",
        &[
            Edit::Replace("src/billing.rs", "    record = \"ledger\",\n", ""),
            Edit::Replace("effects.toml", "[[provider]]", "[defaults]\nrecord = \"ledger\"\n\n[[provider]]"),
        ],
        "",
        &[],
    ),
    step("a handler comes", &[Edit::Replace("src/billing.rs", "// the end of the file\n", REFUND)], "new", &[]),
    step(
        "its contract goes, and the effect stays",
        &[Edit::Replace(
            "src/billing.rs",
            "#[effect(\n    intent_key = \"invoice/{invoice}/refund\",\n    provider = \"adyen\",\n    provider_window = at_least(\"7d\"),\n    terminal = [confirmed],\n)]\n",
            "",
        )],
        "weakened",
        &["claim weakened"],
    ),
    step(
        "the provider is another",
        &[Edit::Replace("src/billing.rs", "provider = \"adyen\"", "provider = \"acme\"")],
        "changed",
        &["provider changed"],
    ),
    step("the handler is gone", &[Edit::Replace("src/lib.rs", "pub mod billing;\n", "")], "gone", &[]),
];

#[test]
fn each_change_of_a_history_is_told_as_what_it_is() {
    let repository = service();
    let mut wrong = Vec::new();
    for step in HISTORY {
        step.edits.iter().for_each(|edit| repository.apply(edit));
        let (code, answer) = repository.diff(&["HEAD", "--fail-on", "weakened"]);
        let found = changes(&answer);
        let owned = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let wanted = match step.change {
            "" => Vec::new(),
            change => vec![(change.to_owned(), owned(step.fields), owned(step.review))],
        };
        if found != wanted {
            wrong.push(format!("{}:\n  found  {found:?}\n  wanted {wanted:?}", step.title));
        }
        assert_eq!(code, Some(i32::from(step.change == "weakened")), "{}", step.title);
        repository.commit();
        assert_eq!(changes(&repository.diff(&["HEAD"]).1), [], "{}: nothing differs from itself", step.title);
    }
    assert!(HISTORY.len() >= 30 && wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// A step back is a step in the other direction.
#[test]
fn each_direction_has_its_opposite() {
    let repository = service();
    repository.git(&["tag", "step0"]);
    for (number, step) in HISTORY.iter().enumerate() {
        step.edits.iter().for_each(|edit| repository.apply(edit));
        repository.commit();
        repository.git(&["tag", &format!("step{}", number + 1)]);
    }
    let turned = |field: &&str| match field.rsplit_once(' ') {
        Some((name, "weakened")) => format!("{name} strengthened"),
        Some((name, "strengthened")) => format!("{name} weakened"),
        _ => (*field).to_owned(),
    };
    for (number, step) in HISTORY.iter().enumerate() {
        repository.git(&["checkout", "--quiet", &format!("step{number}")]);
        let (_, answer) = repository.diff(&[&format!("step{}", number + 1)]);
        let found = changes(&answer);
        match step.change {
            "" => assert_eq!(found, [], "{}", step.title),
            "new" => assert_eq!(found[0].0, "gone", "{}", step.title),
            "gone" => assert_eq!(found[0].0, "new", "{}", step.title),
            _ if found[0].0 == "new" => assert_eq!(step.title, "its contract goes, and the effect stays"),
            _ => assert_eq!(found[0].1, step.fields.iter().map(turned).collect::<Vec<_>>(), "{}", step.title),
        }
    }
}
