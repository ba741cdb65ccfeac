benchstat -format csv -col note ties.txt
