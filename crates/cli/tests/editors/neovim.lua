-- Drives Neovim as a client of the language server: everything it says on standard output is checked by the test.
local function await(what, condition)
  if not vim.wait(60000, condition, 20) then
    error('waited in vain for ' .. what)
  end
end
local function ask(method, params)
  local answers = assert(vim.lsp.buf_request_sync(0, method, params, 60000), method .. ' has no answer')
  local _, answer = next(answers)
  assert(answer and not answer.err, method .. ': ' .. vim.inspect(answer))
  return answer.result
end
local function at(line, character)
  return { textDocument = vim.lsp.util.make_text_document_params(), position = { line = line, character = character } }
end
local ok, problem = pcall(function()
  await('diagnostics', function() return #vim.diagnostic.get(0) > 0 end)
  for _, found in ipairs(vim.diagnostic.get(0)) do
    print('diagnostic ' .. found.lnum .. ' ' .. found.code)
  end
  vim.api.nvim_buf_set_lines(0, 1, 2, false, {})
  await('no diagnostics', function() return #vim.diagnostic.get(0) == 0 end)
  print('mended')
  print('hover ' .. ask('textDocument/hover', at(3, 12)).contents.value:gsub('\n', ' '))
  local rename = at(2, 1)
  rename.newName = 'after'
  vim.lsp.util.apply_workspace_edit(ask('textDocument/rename', rename), 'utf-16')
  print('renamed ' .. vim.api.nvim_buf_get_lines(0, 2, 3, false)[1])
  local format = { textDocument = vim.lsp.util.make_text_document_params(), options = { tabSize = 2, insertSpaces = true } }
  vim.lsp.util.apply_text_edits(ask('textDocument/formatting', format), 0, 'utf-16')
  print('laid out ' .. vim.api.nvim_buf_get_lines(0, 3, 4, false)[1])
  print('completion ' .. #ask('textDocument/completion', at(4, 12)).items)
end)
if not ok then
  print('failed: ' .. tostring(problem))
end
vim.cmd('qa!')
