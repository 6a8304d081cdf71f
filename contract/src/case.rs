//! The arguments of `#[effect_case(path::to::handler, killed_after_accept)]`.

use crate::cursor::Cursor;
use crate::{tokens_text, Error, FailureCase};
use proc_macro2::{Span, TokenStream};

/// Which handler's contract a test is about, and which failure case it proves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// path of the handler, as written
    pub handler: String,
    /// the failure case
    pub case: FailureCase,
}

/// Reads the arguments of `effect_case`.
///
/// # Errors
///
/// All that is wrong with them.
pub fn parse_case(arguments: TokenStream) -> Result<Case, Vec<Error>> {
    let mut cursor = Cursor::new(arguments, Span::call_site());
    read(&mut cursor).map_err(|error| vec![error])
}

fn read(cursor: &mut Cursor) -> Result<Case, Error> {
    const FORM: &str = "write `#[effect_case(path::to::handler, killed_after_accept)]`";
    if cursor.is_empty() {
        return Err(Error::at(cursor.span(), format!("the handler and the failure case are missing; {FORM}")));
    }
    let handler = tokens_text(cursor.path()?);
    if cursor.take_punct(',').is_none() || cursor.is_empty() {
        return Err(Error::at(cursor.span(), format!("the failure case is missing; {FORM}")));
    }
    let span = cursor.span();
    let Some(word) = cursor.take_ident() else {
        return Err(Error::at(span, format!("expected a failure case, a bare word; {FORM}")));
    };
    let case = FailureCase::parse_snake(&word.to_string()).map_err(|invalid| Error::at(span, invalid.message()))?;
    cursor.take_punct(',');
    if cursor.is_empty() {
        Ok(Case { handler, case })
    } else {
        Err(Error::at(cursor.span(), "a test proves one failure case; repeat the attribute for another"))
    }
}

#[cfg(test)]
mod tests {
    use super::{parse_case, Case};
    use crate::FailureCase;

    fn message(arguments: &str) -> String {
        parse_case(arguments.parse().unwrap()).unwrap_err()[0].message.clone()
    }

    #[test]
    fn a_handler_and_a_case_are_read() {
        assert_eq!(
            parse_case("billing::charge, delivered_twice,".parse().unwrap()).unwrap(),
            Case { handler: "billing::charge".to_owned(), case: FailureCase::DeliveredTwice }
        );
    }

    #[test]
    fn faults_say_what_to_write() {
        assert!(message("").starts_with("the handler and the failure case are missing; write `#[effect_case("));
        assert!(message("billing::charge").starts_with("the failure case is missing; write"));
        assert!(message("billing::charge, \"delivered_twice\"").starts_with("expected a failure case, a bare word"));
        assert_eq!(
            message("billing::charge, deliverd_twice"),
            "`deliverd_twice` is not a failure case; did you mean `delivered_twice`?"
        );
        assert!(
            message("billing::charge, delivered_twice, payload_changed").starts_with("a test proves one failure case")
        );
    }
}
