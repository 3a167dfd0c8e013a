; Colours.
(comment) @comment
(variable) @variable
(number) @number
(arrow) @keyword
(connective) @keyword.operator
(keyword) @function.builtin
(list name: (symbol) @function)
(symbol) @constant
["(" ")"] @punctuation.bracket
