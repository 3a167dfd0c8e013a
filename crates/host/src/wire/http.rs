//! The bytes of HTTP as the field's programs write them. They are small and exact (`HTTP/1.0`, `Content-type: text/acl`,
//! the connection closed behind the reply, messages in the target of a GET), which is why they are written here and not by
//! a framework, whose own versions, dates and letter case would get in the way.

/// How a request is answered on the level of HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It was read; what it means is in the body.
    Ok,
    /// It is no HTTP.
    BadRequest,
    /// It did not arrive in time.
    TooSlow,
    /// It is larger than the limits allow.
    TooLarge,
}

impl Status {
    fn line(self) -> &'static str {
        match self {
            Status::Ok => "200 OK",
            Status::BadRequest => "400 Bad Request",
            Status::TooSlow => "408 Request Timeout",
            Status::TooLarge => "413 Content Too Large",
        }
    }
}

/// A reply. The headers that let web pages ask from elsewhere are always there.
pub fn reply_bytes(status: Status, body: &str) -> Vec<u8> {
    format!(
        "HTTP/1.0 {}\r\nContent-type: text/acl\r\nContent-length: {}\r\n\
         Access-Control-Allow-Origin: *\r\nAccess-Control-Allow-Methods: POST, GET, OPTIONS\r\n\
         Access-Control-Allow-Headers: Accept, Content-Type, Sender, Receiver\r\nAccess-Control-Max-Age: 86400\r\n\
         Connection: close\r\n\r\n{body}",
        status.line(),
        body.len()
    )
    .into_bytes()
}

/// A message to a player.
pub fn request_bytes(host: &str, receiver: &str, message: &str) -> Vec<u8> {
    format!(
        "POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: {}\r\nSender: GAMESERVER\r\nReceiver: {}\r\n\
         Content-Type: text/acl\r\nContent-Length: {}\r\n\r\n{message}",
        in_header(host),
        in_header(receiver),
        message.len()
    )
    .into_bytes()
}

/// A name without what would end the header that it stands in.
fn in_header(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).collect()
}

/// The message in the target of a GET: what follows the first slash, with `+` for a space and `%28` and the like decoded.
pub fn decode_target(target: &[u8]) -> Vec<u8> {
    let target = target.strip_prefix(b"/").unwrap_or(target);
    let target = target.strip_prefix(b"?").unwrap_or(target);
    let mut decoded = Vec::with_capacity(target.len());
    let mut rest = target;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match (byte, after) {
            (b'%', &[high, low, ref behind @ ..]) if let Some(code) = hexadecimal(high, low) => {
                decoded.push(code);
                rest = behind;
            }
            (b'+', _) => decoded.push(b' '),
            (byte, _) => decoded.push(byte),
        }
    }
    decoded
}

fn hexadecimal(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_exact() {
        let expected = "HTTP/1.0 200 OK\r\nContent-type: text/acl\r\nContent-length: 5\r\n\
            Access-Control-Allow-Origin: *\r\nAccess-Control-Allow-Methods: POST, GET, OPTIONS\r\n\
            Access-Control-Allow-Headers: Accept, Content-Type, Sender, Receiver\r\n\
            Access-Control-Max-Age: 86400\r\nConnection: close\r\n\r\nready";
        assert_eq!(String::from_utf8_lossy(&reply_bytes(Status::Ok, "ready")), expected);
    }

    #[test]
    fn requests_are_exact() {
        let expected = "POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: localhost\r\nSender: GAMESERVER\r\n\
            Receiver: someone\r\nContent-Type: text/acl\r\nContent-Length: 8\r\n\r\n( INFO )";
        assert_eq!(String::from_utf8_lossy(&request_bytes("localhost", "some\r\none", "( INFO )")), expected);
    }

    #[test]
    fn targets_are_decoded() {
        assert_eq!(decode_target(b"/%28+INFO%20%29"), b"( INFO )");
        assert_eq!(decode_target(b"/?(INFO)"), b"(INFO)");
        assert_eq!(decode_target(b"/50%"), b"50%");
        assert_eq!(decode_target(b"/%zz%2"), b"%zz%2");
    }
}
