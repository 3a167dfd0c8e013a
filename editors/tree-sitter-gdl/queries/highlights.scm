; Colours. Of two patterns for a word the later one counts.
(comment) @comment
(block_comment) @comment
(symbol) @constant
(list name: (symbol) @function)
(variable) @variable
(number) @number
(arrow) @keyword
(connective) @keyword.operator
(keyword) @function.builtin
["(" ")"] @punctuation.bracket
