//! Completion: what may be written at a place. Keywords and relations where conditions stand, fluents in `true`, moves in
//! `does`, roles where roles stand, and in other arguments the variables of the rule and the values that fit.

use groundrules_gdl::keyword::{Keyword, Place};
use groundrules_gdl::{Edit, Span};
use rustc_hash::FxHashSet;

use crate::domains::{Argument, argument};
use crate::names::{Kind, Name, NameId};
use crate::reading::Reading;
use crate::setting::{Context, Setting, Slot, context};
use crate::signature;

/// Something that may be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The name.
    pub label: String,
    /// What it is.
    pub kind: Kind,
    /// Its signature or what else there is to say in a few words.
    pub detail: String,
    /// What is written, with the arguments as in snippets of editors: `(cell ${1:?x} ${2:?y})`.
    pub snippet: Edit,
    /// What is written by an editor without snippets.
    pub plain: Edit,
    /// The smaller, the better it fits.
    pub rank: u32,
    /// The name, for asking more about it.
    pub name: Option<NameId>,
}

/// What may be written at an offset, the best first. At most a few hundred.
pub fn at(reading: &Reading, offset: usize) -> Vec<Completion> {
    const MOST: usize = 500;
    if in_comment(reading, offset) {
        return Vec::new();
    }
    let context = context(reading.tree(), reading.text(), offset);
    let mut found = Found::new(reading, &context, offset);
    if found.typed.starts_with('?') {
        found.variables(&context);
    } else {
        found.by_setting(&context);
    }
    let mut list = found.list;
    list.sort_by(|a, b| (a.rank, &a.label).cmp(&(b.rank, &b.label)));
    list.truncate(MOST);
    list
}

fn in_comment(reading: &Reading, offset: usize) -> bool {
    let comments = reading.tree().comments();
    let behind = comments.partition_point(|comment| (comment.start as usize) < offset);
    behind.checked_sub(1).is_some_and(|index| offset <= comments[index].end as usize)
}

struct Found<'a> {
    reading: &'a Reading,
    /// What is replaced.
    span: Span,
    /// What is typed of it.
    typed: String,
    /// An opening parenthesis stands before it.
    opened: bool,
    /// The word that is being typed and stands nowhere else: it is no name yet.
    unfinished: Option<NameId>,
    seen: FxHashSet<String>,
    list: Vec<Completion>,
}

impl<'a> Found<'a> {
    fn new(reading: &'a Reading, context: &Context, offset: usize) -> Self {
        let span = context.word.map_or(Span::new(offset, offset), |word| reading.tree().span(word));
        let typed = reading.text().get(span.start as usize..offset).unwrap_or_default().to_owned();
        let word = context.word.and_then(|_| reading.names().at(span.start as usize));
        let unfinished = word.map(|word| word.name).filter(|&id| reading.names().uses(id).count() == 1);
        let opened = context.index == 0 && !context.around.is_empty();
        Found { reading, span, typed, opened, unfinished, seen: FxHashSet::default(), list: Vec::new() }
    }

    fn by_setting(&mut self, context: &Context) {
        match context.setting {
            Setting::Form => self.forms(),
            Setting::Arrow => {}
            Setting::Head => {
                if self.opened && context.around.len() == 1 {
                    self.keyword(Keyword::Implies, 0);
                }
                self.atoms(Place::Head);
            }
            Setting::Body => self.atoms(Place::Body),
            Setting::Term(slot) => self.terms(context, slot),
        }
    }

    fn forms(&mut self) {
        self.keyword(Keyword::Implies, 0);
        self.atoms(Place::Head);
    }

    fn atoms(&mut self, place: Place) {
        let keywords = [
            Keyword::Role,
            Keyword::Init,
            Keyword::True,
            Keyword::Does,
            Keyword::Next,
            Keyword::Legal,
            Keyword::Goal,
            Keyword::Terminal,
            Keyword::Base,
            Keyword::Input,
            Keyword::Sees,
            Keyword::Distinct,
            Keyword::Not,
            Keyword::Or,
        ];
        for keyword in keywords.into_iter().filter(|keyword| keyword.may_stand(place)) {
            self.keyword(keyword, 1);
        }
        let names = self.reading.names();
        let relations: Vec<NameId> =
            names.all().filter(|(_, name)| matches!(name, Name::Relation(..))).map(|(id, _)| id).collect();
        for id in relations {
            let defined = names.uses(id).any(|word| word.defines);
            self.name(id, if defined || place == Place::Head { 2 } else { 6 });
        }
    }

    fn terms(&mut self, context: &Context, slot: Slot) {
        match slot {
            Slot::Role => self.of_argument(Argument::Role, 0),
            Slot::Fluent => self.of_argument(Argument::Fluent, 0),
            Slot::Move => self.of_argument(Argument::Move, 0),
            Slot::Value => ["100", "50", "0"].into_iter().for_each(|value| self.plain_word(value)),
            Slot::Argument => {}
        }
        let own = context
            .around
            .last()
            .and_then(|&(list, setting)| argument(self.reading.tree(), list, setting, context.index));
        if let Some(argument) = own {
            self.of_argument(argument, 1);
        }
        let kinds = match slot {
            Slot::Fluent => Some(Kind::Fluent),
            Slot::Move => Some(Kind::Move),
            Slot::Role => Some(Kind::Role),
            Slot::Value | Slot::Argument => None,
        };
        self.variables(context);
        let names = self.reading.names();
        let others: Vec<NameId> = names
            .all()
            .filter(|(_, name)| matches!(name, Name::Function(..) | Name::Constant(_)))
            .map(|(id, _)| id)
            .collect();
        for id in others {
            let fits = kinds == Some(names.kind(id));
            self.name(id, if fits { 1 } else { 8 });
        }
    }

    fn of_argument(&mut self, argument: Argument, rank: u32) {
        let values: Vec<NameId> = self.reading.domains().values(argument).collect();
        values.into_iter().for_each(|id| self.name(id, rank));
    }

    /// The variables of the form around.
    fn variables(&mut self, context: &Context) {
        let (tree, names) = (self.reading.tree(), self.reading.names());
        let Some(&(form, _)) = context.around.first() else { return };
        let Ok(index) =
            tree.forms().binary_search_by_key(&tree.span(form).start, |&form| tree.span(form).start)
        else {
            return;
        };
        let words: Vec<NameId> = names
            .of_form(index)
            .iter()
            .map(|word| word.name)
            .filter(|&id| matches!(names.name(id), Name::Variable(..)))
            .collect();
        if self.opened {
            return;
        }
        words.into_iter().for_each(|id| self.name(id, 2));
    }

    fn keyword(&mut self, keyword: Keyword, rank: u32) {
        let name = keyword.name();
        let arguments = match keyword {
            Keyword::Terminal => Vec::new(),
            Keyword::Implies => vec!["head".to_owned(), "body".to_owned()],
            Keyword::Or => vec!["l".to_owned(), "l".to_owned()],
            _ => {
                let signature = signature::of_keyword_names(keyword);
                signature.into_iter().map(str::to_owned).collect()
            }
        };
        let detail = keyword.usage().to_owned();
        self.add(
            name,
            Kind::Keyword,
            detail,
            &arguments,
            rank,
            self.reading.names().find(Name::Keyword(keyword)),
        );
    }

    fn plain_word(&mut self, word: &str) {
        self.add(word, Kind::Constant, String::new(), &[], 0, None);
    }

    fn name(&mut self, id: NameId, rank: u32) {
        if self.unfinished == Some(id) {
            return;
        }
        let (tree, names) = (self.reading.tree(), self.reading.names());
        let spelling = names.spelling(tree, id);
        let arity = names.arity(id).unwrap_or(0);
        let signature = signature::of(self.reading, id);
        let arguments: Vec<String> =
            signature.parameters.iter().map(|range| signature.label[range.clone()].to_owned()).collect();
        let detail = match arity {
            0 => signature::described(self.reading, id).to_owned(),
            _ => format!("{} {}", signature::described(self.reading, id), signature.label),
        };
        self.add(spelling, names.kind(id), detail, &arguments, rank, Some(id));
    }

    fn add(
        &mut self,
        label: &str,
        kind: Kind,
        detail: String,
        arguments: &[String],
        rank: u32,
        name: Option<NameId>,
    ) {
        if !self.seen.insert(format!("{label}/{}", arguments.len())) {
            return;
        }
        let needs_list = !arguments.is_empty() && !self.opened;
        let mut snippet = if needs_list { "(".to_owned() } else { String::new() };
        let mut plain = snippet.clone();
        snippet.push_str(&escaped(label));
        plain.push_str(label);
        for (place, argument) in arguments.iter().enumerate() {
            snippet.push_str(&format!(" ${{{}:{}}}", place + 1, escaped(argument)));
            plain.push_str(&format!(" {argument}"));
        }
        if needs_list {
            snippet.push(')');
            plain.push(')');
        }
        self.list.push(Completion {
            label: label.to_owned(),
            kind,
            detail,
            snippet: Edit::replace(self.span, snippet),
            plain: Edit::replace(self.span, plain),
            rank,
            name,
        });
    }
}

/// A text in which nothing has a meaning for snippets.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('$', "\\$").replace('}', "\\}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;

    fn offered(text: &str) -> Vec<Completion> {
        let offset = text.find('|').expect("a mark");
        let document = Document::new(text.replacen('|', "", 1));
        at(document.reading(), offset)
    }

    fn labels(text: &str) -> Vec<String> {
        offered(text).into_iter().map(|found| found.label).collect()
    }

    const GAME: &str =
        "(role white) (role black) (index 1) (index 2) (init (cell 1 b)) (legal white (mark 1))\n";

    #[test]
    fn what_fits_comes_first() {
        assert_eq!(labels(&format!("{GAME}(<= p (true (|")).first().map(String::as_str), Some("cell"));
        assert_eq!(labels(&format!("{GAME}(<= p (does |"))[..2], ["black", "white"]);
        assert_eq!(labels(&format!("{GAME}(<= p (does white |")).first().map(String::as_str), Some("mark"));
        assert_eq!(labels(&format!("{GAME}(<= p (index |"))[..2], ["1", "2"]);
        assert!(labels(&format!("{GAME}(<= (p ?x) (|")).contains(&"index".to_owned()));
        assert!(labels(&format!("{GAME}(|")).contains(&"<=".to_owned()));
        assert!(!labels(&format!("{GAME}(<= p (|")).contains(&"init".to_owned()));
        assert!(labels("; (|").is_empty());
    }

    #[test]
    fn variables_of_the_rule_are_offered() {
        assert_eq!(labels("(<= (p ?player ?x) (q ?|"), ["?player", "?x"]);
        assert_eq!(labels("(<= (p ?y) (q ?y)) (<= (p ?x) (q ?|"), ["?x"]);
    }

    #[test]
    fn arguments_are_snippets() {
        let found = offered(&format!("{GAME}(<= p |"));
        let not = found.iter().find(|found| found.label == "index").expect("the relation");
        assert_eq!((not.snippet.text.as_str(), not.plain.text.as_str()), ("(index ${1:?1})", "(index ?1)"));
        let found = offered(&format!("{GAME}(<= p (in|"));
        let relation = found.iter().find(|found| found.label == "index").expect("the relation");
        assert_eq!(relation.snippet.text, "index ${1:?1}");
        assert_eq!(relation.snippet.span.range().len(), 2);
    }

    #[test]
    fn the_word_being_typed_is_not_offered() {
        assert!(!labels("(<= p (nonsens|").contains(&"nonsens".to_owned()));
    }
}
