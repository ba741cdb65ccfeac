benchstat -format csv -alpha 0 -confidence 0.5 old.txt new.txt
