//! Reads what gringo answers with `--output=intermediate`, the format aspif: a line for each rule without variables, with
//! numbers for atoms, and lines that say which number is which atom. The answer is read as a stream, number by number;
//! lines may be as long as they like. Whatever bytes come, the result is statements or an error with its line.

use std::io::BufRead;

use super::error::GringoError;

/// Texts of atoms longer than this are refused.
const MOST_TEXT: i64 = 1 << 24;

/// What a line says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Statement<'a> {
    /// The head follows when the body holds; a negative number is an atom that must not hold.
    Rule { head: u32, body: &'a [i32] },
    /// The head follows from a sum over literals: counting, which no rule of a game does.
    Sum { head: u32 },
    /// An atom has this text and number; without a number it always holds.
    Output { text: &'a [u8], atom: Option<u32> },
}

/// Reads statements from a stream.
pub(super) struct Reader<R> {
    input: R,
    line: u64,
    is_over: bool,
    body: Vec<i32>,
    text: Vec<u8>,
}

type Result<T> = std::result::Result<T, GringoError>;

impl<R: BufRead> Reader<R> {
    /// Reads the first line, which names the format.
    pub(super) fn new(input: R) -> Result<Self> {
        let mut reader = Reader { input, line: 1, is_over: false, body: Vec::new(), text: Vec::new() };
        for &expected in b"asp " {
            if reader.any()? != expected {
                return Err(reader.error("this is not aspif"));
            }
        }
        if reader.number()? != 1 {
            return Err(reader.error("this is a version of aspif that is not known"));
        }
        reader.number()?;
        reader.number()?;
        reader.end()?;
        Ok(reader)
    }

    /// The line that is being read.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// An error in the line that is being read.
    pub(super) fn error(&self, what: impl Into<String>) -> GringoError {
        GringoError::Syntax { line: self.line, what: what.into() }
    }

    /// The next statement that is of interest; none at the end.
    pub(super) fn next(&mut self) -> Result<Option<Statement<'_>>> {
        while !self.is_over {
            match self.number()? {
                0 => {
                    self.end()?;
                    self.is_over = true;
                }
                1 => match self.rule()? {
                    Some((head, true)) => return Ok(Some(Statement::Rule { head, body: &self.body })),
                    Some((head, false)) => return Ok(Some(Statement::Sum { head })),
                    None => {}
                },
                4 => {
                    let atom = self.output()?;
                    return Ok(Some(Statement::Output { text: &self.text, atom }));
                }
                // What is to be minimised, shown or tried first, and comments, leave the rules as they are.
                2 | 3 | 7 | 10 => self.skip_line()?,
                kind => return Err(self.error(format!("statements of type {kind} are not expected"))),
            }
        }
        Ok(None)
    }

    /// A rule: its head, and whether its body, which is then read, is a plain one. Choices and constraints are none.
    fn rule(&mut self) -> Result<Option<(u32, bool)>> {
        let is_choice = match self.number()? {
            0 => false,
            1 => true,
            _ => return Err(self.error("a head is neither a disjunction nor a choice")),
        };
        let heads = self.number()?;
        if heads < 0 {
            return Err(self.error("a head has a negative length"));
        }
        if is_choice || heads == 0 {
            self.skip_line()?;
            return Ok(None);
        }
        if heads > 1 {
            return Err(self.error("a head is a disjunction of several atoms"));
        }
        let head = self.atom()?;
        match self.number()? {
            0 => {}
            1 => {
                self.skip_line()?;
                return Ok(Some((head, false)));
            }
            _ => return Err(self.error("a body is neither a conjunction nor a sum")),
        }
        let count = self.number()?;
        self.body.clear();
        // The count is only believed as far as numbers follow.
        for _ in 0..count {
            let literal = self.literal()?;
            self.body.push(literal);
        }
        if count < 0 {
            return Err(self.error("a body has a negative length"));
        }
        self.end()?;
        Ok(Some((head, true)))
    }

    /// An atom's text, which is kept, and its number.
    fn output(&mut self) -> Result<Option<u32>> {
        let length = self.number()?;
        if !(0..=MOST_TEXT).contains(&length) {
            return Err(self.error("the length of a text is out of range"));
        }
        if self.any()? != b' ' {
            return Err(self.error("a blank is missing before a text"));
        }
        self.text.clear();
        for _ in 0..length {
            let byte = self.any()?;
            self.text.push(byte);
        }
        let atom = match self.number()? {
            0 => None,
            1 => Some(self.atom()?),
            _ => return Err(self.error("a symbol names more than one literal")),
        };
        self.end()?;
        Ok(atom)
    }

    fn atom(&mut self) -> Result<u32> {
        match self.literal()? {
            atom @ 1.. => Ok(atom.unsigned_abs()),
            _ => Err(self.error("an atom has a negative number")),
        }
    }

    fn literal(&mut self) -> Result<i32> {
        let number = self.number()?;
        match i32::try_from(number) {
            Ok(literal) if literal != 0 && literal != i32::MIN => Ok(literal),
            _ => Err(self.error(format!("{number} is not a literal"))),
        }
    }

    /// A number and the blanks before it.
    fn number(&mut self) -> Result<i64> {
        self.skip_blanks()?;
        let is_negative = self.peek()? == Some(b'-');
        if is_negative {
            self.input.consume(1);
        }
        let mut value: i64 = 0;
        let mut digits = 0;
        while let Some(byte @ b'0'..=b'9') = self.peek()? {
            self.input.consume(1);
            digits += 1;
            let more = value.checked_mul(10).and_then(|value| value.checked_add(i64::from(byte - b'0')));
            value = more.ok_or_else(|| self.error("a number is too large"))?;
        }
        match self.peek()? {
            None => Err(GringoError::Cut),
            Some(b' ' | b'\n' | b'\r') if digits > 0 => Ok(if is_negative { -value } else { value }),
            Some(_) => Err(self.error("a number is expected")),
        }
    }

    /// The end of a line.
    fn end(&mut self) -> Result<()> {
        self.skip_blanks()?;
        match self.peek()? {
            None => Err(GringoError::Cut),
            Some(b'\n') => {
                self.input.consume(1);
                self.line += 1;
                Ok(())
            }
            Some(_) => Err(self.error("a line goes on where it should end")),
        }
    }

    fn skip_blanks(&mut self) -> Result<()> {
        while let Some(b' ' | b'\r') = self.peek()? {
            self.input.consume(1);
        }
        Ok(())
    }

    fn skip_line(&mut self) -> Result<()> {
        if self.input.skip_until(b'\n')? == 0 {
            return Err(GringoError::Cut);
        }
        self.line += 1;
        Ok(())
    }

    fn any(&mut self) -> Result<u8> {
        let byte = self.peek()?.ok_or(GringoError::Cut)?;
        self.input.consume(1);
        self.line += u64::from(byte == b'\n');
        Ok(byte)
    }

    fn peek(&mut self) -> Result<Option<u8>> {
        loop {
            match self.input.fill_buf() {
                Ok(buffer) => return Ok(buffer.first().copied()),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use proptest::prelude::*;

    use super::*;

    /// The statements in words, read with a small buffer so that everything is torn apart somewhere.
    fn read(text: &[u8]) -> Result<Vec<String>> {
        let mut reader = Reader::new(BufReader::with_capacity(3, text))?;
        let mut statements = Vec::new();
        while let Some(statement) = reader.next()? {
            statements.push(format!("{statement:?}"));
        }
        Ok(statements)
    }

    const SMALL: &[u8] = b"asp 1 0 0\n1 0 1 3 0 2 -1 2\n1 1 2 1 2 0 0\n1 0 0 0 1 3\n1 0 1 9 1 1 2 1 1 2 1\n\
        10 a comment\n4 6 p(a b) 1 3\n4 1 q 0\n0\n";

    #[test]
    fn a_small_answer() {
        let statements = read(SMALL).unwrap();
        assert_eq!(
            statements,
            [
                "Rule { head: 3, body: [-1, 2] }",
                "Sum { head: 9 }",
                "Output { text: [112, 40, 97, 32, 98, 41], atom: Some(3) }",
                "Output { text: [113], atom: None }",
            ]
        );
    }

    #[test]
    fn an_answer_that_is_cut_off_is_told_wherever_it_ends() {
        for length in 0..SMALL.len() {
            let result = read(&SMALL[..length]);
            assert!(matches!(result, Err(GringoError::Cut)), "{length}: {result:?}");
        }
    }

    #[test]
    fn malformed_lines_are_told_with_their_number() {
        let lines: [&[u8]; 22] = [
            b"1 0 2 1 2 0 0",
            b"1 2 1 1 0 0",
            b"1 0 -1 0 0",
            b"1 0 1 0 0 0",
            b"1 0 1 -4 0 0",
            b"1 0 1 1 2 0",
            b"1 0 1 1 0 -1",
            b"1 0 1 1 0 1 0",
            b"1 0 1 1 0 1 2147483648",
            b"1 0 1 1 0 1 99999999999999999999999999",
            b"1 0 1 1 0 3 2 3",
            b"1 0 1 1 0 1 2 3",
            b"1 0 1 1 0 1 2x",
            b"1 0 1 1 0 1 -",
            b"4 99999999999 p 0",
            b"4 -1 p 0",
            b"4 1 p 2 1 2",
            b"4 1 p 1 -1",
            b"4 1pp 0",
            b"5 1 0",
            b"11",
            b"\xff\x00",
        ];
        for line in lines {
            let text = [b"asp 1 0 0\n1 0 1 1 0 0\n", line, b"\n0\n"].concat();
            match read(&text) {
                Err(GringoError::Syntax { line: 3, .. }) => {}
                other => panic!("{}: {other:?}", line.escape_ascii()),
            }
        }
        for header in ["asp 2 0 0\n0\n", "asp 1 0 0 incremental\n0\n", "ASP 1 0 0\n0\n", "0\n0 0 0\n"] {
            let result = read(header.as_bytes());
            assert!(matches!(result, Err(GringoError::Syntax { line: 1, .. })), "{header}: {result:?}");
        }
    }

    #[test]
    fn counts_are_not_believed_beforehand() {
        let text = b"asp 1 0 0\n1 0 1 1 0 9223372036854775807 2 3\n0\n";
        assert!(matches!(read(text), Err(GringoError::Syntax { line: 2, .. })));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&[b"asp 1 0 0\n", &bytes[..]].concat());
            let _ = read(&bytes);
        }

        #[test]
        fn any_numbers_are_read_or_refused(text in "([0-9-]{1,3}[ \n]){0,60}") {
            let _ = read(format!("asp 1 0 0\n{text}").as_bytes());
        }
    }
}
