; Rules and facts of several lines.
(rule) @fold
(description (list) @fold)
