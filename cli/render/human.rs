//! `human`: snippets with labels along the way of a finding. The only file that knows miette.

use std::collections::BTreeMap;
use std::fmt;

use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents, Severity,
    SourceCode, SourceSpan, SpanContents,
};

use super::Options;
use super::plain::{line, neutral, shown};
use crate::findings::{At, Finding, Level, Report, SourceText};
use crate::source::TextRange;

/// Longer lines are not shown: they are generated, and a terminal would wrap them beyond use.
const LONGEST_LINE: usize = 400;

pub(super) fn render(report: &Report, options: Options) -> String {
    let mut out = String::new();
    for text in each(report, options) {
        out.push_str(&text);
        out.push('\n');
    }
    out
}

/// The findings that are shown, one by one.
pub(super) fn each(report: &Report, options: Options) -> impl Iterator<Item = String> {
    let theme = if options.color { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let handler = GraphicalReportHandler::new_themed(theme).with_width(options.width).with_links(false);
    let mut texts = Texts::default();
    let findings = report.findings.iter();
    findings.filter(move |finding| shown(finding, options.notes)).map(move |finding| {
        let mut out = String::new();
        for (number, block) in blocks(finding).into_iter().enumerate() {
            if number > 0 {
                out.push('\n');
            }
            let source = texts.get(report, block.file);
            let shown = Shown { block: &block, source };
            // rendering into a string cannot fail, and a half-written block is still better than none
            let _ = handler.render_report(&mut out, &shown);
        }
        out
    })
}

/// Texts made harmless for a terminal, each once.
#[derive(Default)]
struct Texts<'a>(BTreeMap<&'a str, Text<'a>>);

struct Text<'a> {
    name: String,
    text: std::borrow::Cow<'a, str>,
    lines: &'a SourceText,
}

impl<'a> Texts<'a> {
    fn get(&mut self, report: &'a Report, file: &'a str) -> Option<&Text<'a>> {
        let lines = report.sources.get(file)?;
        Some(self.0.entry(file).or_insert_with(|| Text {
            name: line(file).into_owned(),
            text: neutral(&lines.text),
            lines,
        }))
    }
}

/// What is shown in one go: labels of one file.
struct Block<'a> {
    file: &'a str,
    code: Option<String>,
    message: String,
    help: Option<String>,
    severity: Severity,
    /// range, note
    labels: Vec<(TextRange, String)>,
    /// the range whose position stands above the snippet
    primary: Option<TextRange>,
}

/// The finding's own file first, then the other files of its way in order.
fn blocks(finding: &Finding) -> Vec<Block<'_>> {
    let severity = match finding.level {
        Level::Deny => Severity::Error,
        Level::Warn => Severity::Warning,
        Level::Note | Level::Allow => Severity::Advice,
    };
    let mut code = format!("{}[{}]", finding.level.as_str(), finding.rule.name);
    if finding.baselined {
        code.push_str(" (in the baseline)");
    }
    let own = &finding.at.file;
    let mut blocks = vec![Block {
        file: own,
        code: Some(code),
        message: line(&finding.message).into_owned(),
        help: (!finding.help.is_empty()).then(|| line(&finding.help).into_owned()),
        severity,
        labels: Vec::new(),
        primary: Some(finding.at.range),
    }];
    let several = finding.path.len() > 1;
    for (number, step) in finding.path.iter().enumerate() {
        let note = line(&step.note);
        let note = if several { format!("{}. {note}", number + 1) } else { note.into_owned() };
        let block = match blocks.iter().position(|block| block.file == step.at.file) {
            Some(at) => &mut blocks[at],
            None => {
                blocks.push(Block {
                    file: &step.at.file,
                    code: None,
                    message: format!("on its way through {}", line(&step.at.file)),
                    help: None,
                    severity: Severity::Advice,
                    labels: Vec::new(),
                    primary: None,
                });
                let last = blocks.len() - 1;
                &mut blocks[last]
            }
        };
        add(&mut block.labels, &step.at, note);
    }
    // the own place comes last: it is where the way ends, and often a step has named it already
    add(&mut blocks[0].labels, &finding.at, String::new());
    blocks
}

fn add(labels: &mut Vec<(TextRange, String)>, at: &At, note: String) {
    match labels.iter_mut().find(|(range, _)| *range == at.range) {
        Some((_, notes)) if notes.is_empty() => *notes = note,
        Some(_) if note.is_empty() => {}
        Some((_, notes)) => {
            notes.push_str("; ");
            notes.push_str(&note);
        }
        None => labels.push((at.range, note)),
    }
}

struct Shown<'a> {
    block: &'a Block<'a>,
    source: Option<&'a Text<'a>>,
}

impl fmt::Debug for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.block.message)
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.block.message)
    }
}

impl std::error::Error for Shown<'_> {}

impl Diagnostic for Shown<'_> {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let code = self.block.code.as_ref()?;
        Some(Box::new(code))
    }

    fn severity(&self) -> Option<Severity> {
        Some(self.block.severity)
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let help = self.block.help.as_ref()?;
        Some(Box::new(help))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.map(|text| text as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let source = self.source?;
        let labels = self.block.labels.iter();
        Some(Box::new(
            labels.filter_map(|(range, note)| source.label(*range, note, self.block.primary == Some(*range))),
        ))
    }
}

impl Text<'_> {
    /// A label cut to its first line, since a whole function underlined says nothing.
    fn label(&self, range: TextRange, note: &str, primary: bool) -> Option<LabeledSpan> {
        let number = self.lines.line_of(range.start);
        let content = self.lines.line(number);
        if content.len() > LONGEST_LINE {
            return None;
        }
        let line_end = self.lines.line_starts.get(number).copied()? as usize + content.len();
        let start = (range.start as usize).min(line_end);
        let end = (range.end as usize).clamp(start, line_end);
        let note = (!note.is_empty()).then(|| note.to_owned());
        let span = SourceSpan::from((start, end - start));
        Some(if primary {
            LabeledSpan::new_primary_with_span(note, span)
        } else {
            LabeledSpan::new_with_span(note, span)
        })
    }
}

/// Answers from the line table: miette's own implementation for texts scans them from the start for each label.
impl SourceCode for Text<'_> {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let start = span.offset();
        let end = start + span.len();
        if end > self.text.len() {
            return Err(MietteError::OutOfBounds);
        }
        let lines = self.lines;
        let own = lines.line_of(start as u32);
        let first = own.saturating_sub(before);
        let last = lines.line_of(end as u32) + after;
        let line_start = lines.line_starts[own] as usize;
        // without context miette asks only where the span itself stands
        let (from, line, column) = if before == 0 {
            let head = self.text.get(line_start..start).unwrap_or_default();
            (start, own, head.chars().count())
        } else {
            (lines.line_starts[first] as usize, first, 0)
        };
        let to = match lines.line_starts.get(last + 1) {
            Some(&next) => next as usize,
            None => self.text.len(),
        };
        let data = self.text.as_bytes().get(from..to).ok_or(MietteError::OutOfBounds)?;
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            data,
            (from, to - from).into(),
            line,
            column,
            last + 1 - first,
        )))
    }
}
