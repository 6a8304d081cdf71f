use crate::flow::EventFactKind;
use crate::pipeline::analyse_texts;

/// The texts that a body runs, and how many values are bound to each.
fn statements(body: &str) -> Vec<(String, usize)> {
    let source = format!(
        "use diesel::prelude::*;\nuse crate::schema::jobs;\nuse crate::entity::seen_event;\n\
         pub fn ran(db: &mut PgConnection, job: i64, me: String) {{ {body} }}"
    );
    let analysis = analyse_texts(vec![("src/lib.rs".to_owned(), source)]).expect("a text is enough");
    let events = analysis.flow.functions.iter().flat_map(|function| function.events.clone());
    let sql = events.filter_map(|event| match event.kind {
        EventFactKind::Sql { texts, binds, .. } => {
            let texts: Vec<&str> = texts.iter().map(|text| text.as_str()).collect();
            Some((texts.join(" | "), binds.len()))
        }
        _ => None,
    });
    sql.collect()
}

fn one(body: &str) -> (String, usize) {
    let all = statements(body);
    assert_eq!(all.len(), 1, "{all:?}");
    all.into_iter().next().expect("one")
}

#[test]
fn diesel() {
    assert_eq!(
        one("let held = jobs::table.filter(jobs::id.eq(job)).filter(jobs::owner.is_null()); \
             diesel::update(held).set((jobs::owner.eq(me), jobs::tries.eq(jobs::tries + 1))).execute(db);"),
        (r#"UPDATE "jobs" SET "owner" = $1, "tries" = "tries" + $2 WHERE "id" = $3 AND "owner" IS NULL"#.to_owned(), 3)
    );
    assert_eq!(
        one("diesel::insert_into(jobs::table).values((jobs::id.eq(job), jobs::state.eq(\"it's new\"))) \
             .on_conflict(jobs::id).do_nothing().execute(db);"),
        (r#"INSERT INTO "jobs" ("id", "state") VALUES ($1, 'it''s new') ON CONFLICT ("id") DO NOTHING"#.to_owned(), 1)
    );
    assert_eq!(
        one("diesel::insert_into(jobs::table).values((jobs::id.eq(job), jobs::tries.eq(1))).on_conflict(jobs::id).do_update() \
             .set((jobs::tries.eq(jobs::tries + excluded(jobs::tries)), jobs::owner.eq(excluded(jobs::owner)))).execute(db);"),
        (
            r#"INSERT INTO "jobs" ("id", "tries") VALUES ($1, $2) ON CONFLICT ("id") DO UPDATE SET "tries" = "tries" + $3, "owner" = EXCLUDED."owner""#.to_owned(),
            3
        )
    );
    assert_eq!(
        one("let rows: Vec<_> = me.chars().map(|one| NewJob { id: job, state: one }).collect(); \
             diesel::insert_into(jobs::table).values(&rows).execute(db);"),
        (r#"INSERT INTO "jobs" ("id", "state") VALUES ($1, $2), ($1, $2)"#.to_owned(), 2)
    );
    let both = statements(
        "jobs::table.find(job).select(jobs::owner).for_update().first(db); diesel::delete(jobs::table).execute(db);",
    );
    let locked = r#"SELECT "owner" FROM "jobs" WHERE "id" = $1 FOR UPDATE"#.to_owned();
    assert_eq!(both, [(locked, 1), (r#"DELETE FROM "jobs""#.to_owned(), 0)]);
    assert_eq!(
        one("diesel::delete(jobs::table.filter(jobs::id.eq(job).and(jobs::until.lt(me)))).execute(db);"),
        (r#"DELETE FROM "jobs" WHERE "id" = $1 AND "until" < $2"#.to_owned(), 2)
    );
    assert_eq!(
        one("let there = diesel::select(exists(jobs::table.filter(jobs::id.eq(job)))).get_result::<bool>(db);"),
        (r#"SELECT count(*) FROM "jobs" WHERE "id" = $1"#.to_owned(), 1)
    );
}

#[test]
fn sea_orm() {
    assert_eq!(
        one("seen_event::Entity::find().filter(seen_event::Column::EventId.eq(job)).count(db).await;"),
        (r#"SELECT count(*) FROM "seen_event" WHERE "event_id" = $1"#.to_owned(), 1)
    );
    assert_eq!(
        one(
            "seen_event::ActiveModel { event_id: Set(job), state: Set(State::Done), ..Default::default() }.insert(db).await;"
        ),
        (r#"INSERT INTO "seen_event" ("event_id", "state") VALUES ($1, 'done')"#.to_owned(), 1)
    );
    assert_eq!(
        one(
            "seen_event::Entity::insert(row).on_conflict(OnConflict::column(seen_event::Column::EventId).do_nothing().to_owned()).exec(db).await;"
        ),
        (r#"INSERT INTO "seen_event" VALUES ($1) ON CONFLICT ("event_id") DO NOTHING"#.to_owned(), 1)
    );
    let many = r#"INSERT INTO "seen_event" ("event_id", "state") VALUES ($1, 'done'), ($1, 'done')"#.to_owned();
    let row = "seen_event::ActiveModel { event_id: Set(one), state: Set(State::Done), ..Default::default() }";
    assert_eq!(
        one(&format!("let rows = me.chars().map(|one| {row}); seen_event::Entity::insert_many(rows).exec(db).await;")),
        (many.clone(), 1)
    );
    assert_eq!(
        one(&format!("let one = job; seen_event::Entity::insert_many([{row}, other(job)]).exec(db).await;")),
        (many, 1)
    );
}

#[test]
fn what_only_looks_alike_is_no_statement() {
    assert!(statements("let list = all.filter(me); list.first(); config.update(job); map.insert(job, me);").is_empty());
}

#[test]
fn documents() {
    let collection = "let jobs = store.collection::<Document>(\"jobs\");";
    assert_eq!(
        one(&format!("{collection} jobs.insert_one(doc! {{ \"_id\": job, \"state\": \"new\" }}).await;")),
        (r#"INSERT INTO "jobs" ("_id", "state") VALUES ($1, 'new')"#.to_owned(), 1)
    );
    assert_eq!(
        one(&format!(
            "{collection} jobs.update_one(doc! {{ \"_id\": job, \"until\": {{ \"$lt\": me }} }}, \
             doc! {{ \"$set\": {{ \"owner\": me }}, \"$inc\": {{ \"tries\": 1 }} }}).await;"
        )),
        (r#"UPDATE "jobs" SET "owner" = $1, "tries" = "tries" + $2 WHERE "_id" = $3 AND "until" < $4"#.to_owned(), 4)
    );
    assert_eq!(
        one("db.of::<Document>(\"jobs\").update_one(doc! { \"_id\": job, \"owner\": { \"$exists\": false } }, \
             doc! { \"$set\": { \"owner\": me } }).await;"),
        (r#"UPDATE "jobs" SET "owner" = $1 WHERE "_id" = $2 AND "owner" IS NULL"#.to_owned(), 2)
    );
}

#[test]
fn items() {
    let changed = |condition: &str| {
        one(&format!(
            "let store: aws_sdk_dynamodb::Client = open(); \
             store.update_item().table_name(\"holds\").key(\"id\", job).update_expression(\"SET until = :until\") \
             .condition_expression(\"{condition}\").expression_attribute_names(\"#o\", \"owner\") \
             .expression_attribute_values(\":me\", me).expression_attribute_values(\":until\", later).send().await;"
        ))
        .0
    };
    let set = r#"UPDATE "holds" SET "until" = $1 WHERE "id" = $2"#;
    let held = format!(r#"{set} AND "owner" = $3"#);
    assert_eq!(changed("#o = :me"), held);
    assert_eq!(changed("(#o=:me)"), held);
    assert_eq!(
        changed("attribute_not_exists(done) AND #o<>:me"),
        format!(r#"{set} AND "done" IS NULL AND "owner" <> $3"#)
    );
    assert_eq!(
        changed("#o = :me AND (attribute_not_exists(done) OR until < :until)"),
        format!(r#"{set} AND "owner" = $3 AND ("done" IS NULL OR "until" IS NULL OR FALSE)"#)
    );
    assert_eq!(
        changed("#o = :me OR until < :until"),
        format!(r#"{set} AND ("owner" IS NULL OR "until" IS NULL OR FALSE)"#)
    );
    // What cannot be read says nothing: a negation, another function, a bracket that nothing opened.
    for unread in ["NOT #o = :me", "begins_with(#o, :me)", ")) #o"] {
        assert_eq!(changed(unread), set, "{unread}");
    }
}

#[test]
fn a_version_that_has_to_be_what_was_read_is_no_difference() {
    let counted = |condition: &str| {
        one(&format!(
            "let store: aws_sdk_dynamodb::Client = open(); \
             store.update_item().table_name(\"holds\").key(\"id\", job) \
             .update_expression(\"SET version = version + :one\").condition_expression(\"{condition}\") \
             .expression_attribute_values(\":one\", one).expression_attribute_values(\":read\", read).send().await;"
        ))
        .0
    };
    let update = r#"UPDATE "holds" SET "version" = "#;
    assert!(counted("attribute_exists(version) AND version = :read").starts_with(&format!("{update}$1 WHERE")));
    for open in ["version >= :read", "version = :read OR attribute_not_exists(version)"] {
        assert!(counted(open).starts_with(&format!(r#"{update}"version" + $1 WHERE"#)), "{open}");
    }
}

#[test]
fn an_item_is_asked_for_in_parts() {
    let start = "let store: aws_sdk_dynamodb::Client = open(); \
                 let mut request = store.delete_item().table_name(\"holds\").key(\"id\", job);";
    let set = "set_condition_expression(Some(\"state = :open\".to_owned()))\
               .expression_attribute_values(\":open\", AttributeValue::S(\"open\".to_owned()))";
    let held = r#"DELETE FROM "holds" WHERE "id" = $1 AND "state" = 'open'"#.to_owned();
    assert_eq!(one(&format!("{start} request.{set}.send().await;")), (held.clone(), 1));
    assert_eq!(
        one(&format!("{start} if full {{ request = request.{set}; }} request.send().await;")),
        (held.clone(), 1)
    );
    assert_eq!(
        one(&format!("{start} let last = if full {{ request.{set} }} else {{ request }}; last.send().await;")),
        (held, 1)
    );
    // Whoever is handed a request may set more on it.
    assert!(statements(&format!("{start} only_once(request).send().await;")).is_empty());
}

#[test]
fn an_item_is_taken_over_where_its_time_has_run_out() {
    let put = |condition: &str| {
        one(&format!(
            "let store: aws_sdk_dynamodb::Client = open(); \
             store.put_item().table_name(\"holds\").item(\"id\", job).item(\"until\", later) \
             .condition_expression(\"{condition}\").expression_attribute_values(\":now\", me).send().await;"
        ))
        .0
    };
    let row = r#"INSERT INTO "holds" ("id", "until") VALUES ($1, $2) ON CONFLICT"#;
    assert_eq!(put("attribute_not_exists(id)"), format!("{row} DO NOTHING"));
    assert_eq!(
        put("attribute_not_exists(id) OR until < :now"),
        format!(
            r#"{row} (id) DO UPDATE SET "id" = EXCLUDED."id", "until" = EXCLUDED."until" WHERE ("id" IS NULL OR "until" IS NULL OR FALSE)"#
        )
    );
}
