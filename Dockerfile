# A small image with the program alone: docker build -t groundrules . && docker run --rm groundrules check connect-four
# Files of your own: docker run --rm -v "$PWD:/games" groundrules check mygame.kif
# A player for hosts: docker run --rm -p 9147:9147 groundrules serve
FROM rust:1.95-alpine AS build
RUN apk add --no-cache musl-dev git
WORKDIR /source
COPY . .
RUN cargo build --release --locked -p groundrules-cli

# Alpine's Rust links statically, so nothing else is needed. States beyond memory go to /tmp.
FROM scratch
COPY --from=build /source/target/release/groundrules /usr/local/bin/groundrules
COPY --from=build --chmod=1777 /tmp /tmp
COPY LICENSE-MIT LICENSE-APACHE /licenses/
WORKDIR /games
EXPOSE 9147
ENTRYPOINT ["/usr/local/bin/groundrules"]
